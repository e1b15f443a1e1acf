import { EyeOff, RotateCcw, SearchX } from "lucide-react";
import type { Metadata } from "next";
import Link from "next/link";
import { redirect } from "next/navigation";
import { type DeadLetterLine, listDeadLetters } from "../../../../../db/console/dead-letters";
import { readPartitionKeys } from "../../../../../db/console/pulse";
import { requireReader } from "../../../../_auth/operator";
import { deadAddress, readDeadFilter } from "../../../../_ops/dead-filter";
import { DeadFilterForm } from "../../../../_ops/dead-filter-form";
import { Pager } from "../../../../_ops/pager";
import { Cell, DataTable, HeadCell, NARROW, RowHead, WIDE } from "../../../../_ops/table";
import { one, plain } from "../../../../_ops/words";
import { ButtonLink } from "../../../../_ui/button";
import { ChannelIcon } from "../../../../_ui/channel-icon";
import { BackLink, EmptyState, PageHeading } from "../../../../_ui/page-parts";
import { StatusMark } from "../../../../_ui/status-mark";
import { When } from "../../../../_ui/when";

export const metadata: Metadata = { title: "Every dead letter" };

/** One screen of dead letters. */
const PAGE_SIZE = 50;

const PATH = "/ops/dead-letters/list";

/** Dead letters one by one, the latest first. */
export default async function DeadLetterListPage({ searchParams }: PageProps<"/ops/dead-letters/list">) {
  const query = await searchParams;
  const filter = readDeadFilter(query);
  const { timeZone, nowMs } = await requireReader(deadAddress(PATH, filter));
  const after = one(query, "after");
  const [page, partitions] = await Promise.all([
    listDeadLetters(filter, { limit: PAGE_SIZE, ...(after === undefined ? {} : { after }) }),
    readPartitionKeys(),
  ]);
  // A place that is not one of ours: the list begins at its beginning.
  if (!page.ok) redirect(deadAddress(PATH, filter));
  const { deadLetters, next } = page.value;
  return (
    <div className="space-y-6">
      <BackLink href="/ops/dead-letters">Dead letters</BackLink>
      <PageHeading
        title="Every dead letter"
        actions={
          deadLetters.length > 0 && (
            <div className="flex flex-wrap gap-3">
              <ButtonLink href={deadAddress("/ops/redrives/new", filter)} prefetch={false}>
                <RotateCcw aria-hidden className="size-4" />
                Redrive what fits…
              </ButtonLink>
              <ButtonLink
                kind="secondary"
                href={deadAddress("/ops/dead-letters/dismiss", filter)}
                prefetch={false}
              >
                <EyeOff aria-hidden className="size-4" />
                Dismiss what fits…
              </ButtonLink>
            </div>
          )
        }
      />
      <DeadFilterForm
        action={PATH}
        filter={filter}
        partitions={partitions}
        timeZone={timeZone}
        nowMs={nowMs}
      />
      {deadLetters.length > 0 ? (
        <DeadTable deadLetters={deadLetters} timeZone={timeZone} nowMs={nowMs} />
      ) : (
        <EmptyState
          icon={<SearchX aria-hidden className="size-6" />}
          title="No dead letter fits"
          action={
            <ButtonLink kind="secondary" href={PATH}>
              Show every dead letter
            </ButtonLink>
          }
        >
          What was redriven or resolved meanwhile is not dead any more.
        </EmptyState>
      )}
      <Pager
        first={after === undefined ? null : deadAddress(PATH, filter)}
        next={next === null ? null : deadAddress(PATH, filter, { after: next })}
      />
    </div>
  );
}

/** What the provider said at the last call. */
function said({ status, code, detail, lastClass }: DeadLetterLine): string {
  return [status, code, detail].filter((part) => part !== null).join(" · ") || plain(lastClass ?? "nothing");
}

interface DeadTableProps {
  deadLetters: readonly DeadLetterLine[];
  timeZone: string;
  nowMs: number;
}

function DeadTable({ deadLetters, timeZone, nowMs }: DeadTableProps) {
  return (
    <DataTable
      caption="Dead letters, the latest first"
      head={
        <>
          <HeadCell>Delivery</HeadCell>
          <HeadCell>Why</HeadCell>
          <HeadCell className={WIDE}>The provider said</HeadCell>
          <HeadCell className={WIDE}>Died</HeadCell>
          <HeadCell className={WIDE}>Useful until</HeadCell>
          <HeadCell className={`text-right ${WIDE}`}>Calls</HeadCell>
        </>
      }
    >
      {deadLetters.map((line) => (
        <tr key={line.id} className="hover:bg-sunken/50">
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
          </RowHead>
          <Cell className="space-y-1">
            <StatusMark tone={line.reason === "outcome_unknown" ? "attention" : "bad"}>
              {plain(line.reason)}
            </StatusMark>
            <span className={`block break-words text-ink-soft ${NARROW}`}>{said(line)}</span>
            <span className={`block text-ink-soft ${NARROW}`}>
              <When atMs={line.diedAtMs} timeZone={timeZone} nowMs={nowMs} />
            </span>
            {line.dismissedAtMs !== null && <span className="block text-ink-soft">dismissed</span>}
            {line.redriveId !== null && (
              <Link
                href={`/ops/redrives/${line.redriveId}`}
                className="block font-medium text-accent-ink underline underline-offset-2"
              >
                in a redrive
              </Link>
            )}
          </Cell>
          <Cell className={`min-w-56 ${WIDE}`}>{said(line)}</Cell>
          <Cell className={`whitespace-nowrap ${WIDE}`}>
            <When atMs={line.diedAtMs} timeZone={timeZone} nowMs={nowMs} seconds />
          </Cell>
          <Cell className={`whitespace-nowrap ${WIDE}`}>
            <When atMs={line.expiresAtMs} timeZone={timeZone} nowMs={nowMs} />
            {line.expiresAtMs <= nowMs && <span className="block text-ink-soft">past</span>}
          </Cell>
          <Cell className={`text-right ${WIDE}`}>{line.attempts}</Cell>
        </tr>
      ))}
    </DataTable>
  );
}
