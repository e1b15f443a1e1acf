import Link from "next/link";
import type { DeliveryLine } from "../../db/console/deliveries";
import { ChannelIcon } from "../_ui/channel-icon";
import { When } from "../_ui/when";
import { StateMark } from "./state-mark";
import { Cell, DataTable, HeadCell, NARROW, RowHead, WIDE } from "./table";
import { plain } from "./words";

interface DeliveryTableProps {
  caption: string;
  deliveries: readonly DeliveryLine[];
  timeZone: string;
  nowMs: number;
}

/** Deliveries, each with the way to its story. A narrow screen shows the first columns and puts the rest below. */
export function DeliveryTable({ caption, deliveries, timeZone, nowMs }: DeliveryTableProps) {
  return (
    <DataTable
      caption={caption}
      head={
        <>
          <HeadCell>Delivery</HeadCell>
          <HeadCell>State</HeadCell>
          <HeadCell className={WIDE}>Why</HeadCell>
          <HeadCell className={WIDE}>Due</HeadCell>
          <HeadCell className={WIDE}>Next or ended</HeadCell>
          <HeadCell className={`text-right ${WIDE}`}>Calls</HeadCell>
        </>
      }
    >
      {deliveries.map((line) => (
        <tr key={line.reference} className="hover:bg-sunken/50">
          <RowHead>
            <Link
              href={`/ops/deliveries/${line.reference}`}
              className="inline-flex min-h-6 items-center gap-2 font-medium text-accent-ink underline decoration-accent-ink/40 underline-offset-2"
            >
              <ChannelIcon channel={line.channel} className="size-4 shrink-0" />
              <span className="sr-only">{line.channel}</span>
              <span className="font-mono text-[0.9em]" title={line.key}>
                {line.reference.slice(0, 10)}…
              </span>
            </Link>
            <span className="block text-ink-soft">{line.lane}</span>
            <span className={`block text-ink-soft ${NARROW}`}>
              <When atMs={line.scheduledAtMs} timeZone={timeZone} nowMs={nowMs} />
            </span>
          </RowHead>
          <Cell>
            <StateMark state={line.state} reason={line.reason} />
            <span className={`block pt-1 text-ink-soft ${NARROW}`}>
              {plain(line.reason ?? line.lastClass ?? "")}
            </span>
          </Cell>
          <Cell className={`min-w-36 ${WIDE}`}>{plain(line.reason ?? line.lastClass ?? "–")}</Cell>
          <Cell className={`whitespace-nowrap ${WIDE}`}>
            <When atMs={line.scheduledAtMs} timeZone={timeZone} nowMs={nowMs} seconds />
          </Cell>
          <Cell className={`whitespace-nowrap ${WIDE}`}>
            <NextOrEnd line={line} timeZone={timeZone} nowMs={nowMs} />
          </Cell>
          <Cell className={`text-right ${WIDE}`}>{line.attempts}</Cell>
        </tr>
      ))}
    </DataTable>
  );
}

function NextOrEnd({
  line,
  timeZone,
  nowMs,
}: { line: DeliveryLine } & Pick<DeliveryTableProps, "timeZone" | "nowMs">) {
  const atMs = line.finishedAtMs ?? line.nextEligibleAtMs;
  return atMs === null ? "–" : <When atMs={atMs} timeZone={timeZone} nowMs={nowMs} seconds />;
}
