import { Inbox } from "lucide-react";
import type { Metadata } from "next";
import { OUTBOX_COUNT_MAX, type OutboxLine, readOutboxView } from "../../../../db/console/outbox";
import { requireReader } from "../../../_auth/operator";
import { Code } from "../../../_ops/facts";
import { Cell, DataTable, HeadCell, RowHead } from "../../../_ops/table";
import { count, counted, duration } from "../../../_ops/words";
import { LiveUpdates } from "../../../_reminders/live-updates";
import { Notice } from "../../../_ui/notice";
import { EmptyState, PageHeading } from "../../../_ui/page-parts";
import { When } from "../../../_ui/when";

export const metadata: Metadata = { title: "Outbox" };

const LOOK_AGAIN_MS = 5_000;

/** Events on their way to the engine: what should have gone, what waits for its time, what went last. */
export default async function OutboxPage() {
  const { timeZone, nowMs } = await requireReader("/ops/outbox");
  const { overdue, upcoming, published, counts } = await readOutboxView();
  const oldestMs = overdue[0] === undefined ? null : nowMs - overdue[0].notBeforeMs;
  const table = (caption: string, lines: readonly OutboxLine[]) => (
    <OutboxTable caption={caption} lines={lines} timeZone={timeZone} nowMs={nowMs} />
  );
  const empty = overdue.length + upcoming.length + published.length === 0;
  return (
    <div className="space-y-8">
      <PageHeading title="Outbox" actions={<LiveUpdates lookAgainMs={LOOK_AGAIN_MS} readAtMs={nowMs} />}>
        <p className="max-w-2xl text-ink-soft">
          Events are written with the fact that they announce and published after its commit, by the app at
          once and by the sweep as the net. An event that the engine gets twice does no harm.
        </p>
      </PageHeading>
      {empty ? (
        <EmptyState icon={<Inbox aria-hidden className="size-6" />} title="No event yet">
          Each reminder that is set writes one, and each dead letter.
        </EmptyState>
      ) : (
        <>
          <section aria-labelledby="overdue" className="space-y-3">
            <h2 id="overdue" className="text-lg font-semibold">
              Past their time
            </h2>
            {oldestMs === null ? (
              <Notice kind="good">
                <p>None: everything whose time has come is published.</p>
              </Notice>
            ) : (
              <>
                <Notice kind={oldestMs > 120_000 ? "bad" : "info"}>
                  <p>
                    {counted(counts.overdue, "event waits", "events wait", OUTBOX_COUNT_MAX)}, the oldest for{" "}
                    {duration(oldestMs)}.
                    {oldestMs > 120_000 &&
                      " The engine refuses them or cannot be reached. Nothing is lost meanwhile."}
                  </p>
                </Notice>
                {table("Events past their time, the oldest first", overdue)}
              </>
            )}
          </section>
          <section aria-labelledby="upcoming" className="space-y-3">
            <h2 id="upcoming" className="text-lg font-semibold">
              Waiting for their time: {count(counts.upcoming, OUTBOX_COUNT_MAX)}
            </h2>
            {upcoming.length === 0 ? (
              <p className="text-ink-soft">None.</p>
            ) : (
              table("Events that wait for their time, the next first", upcoming)
            )}
          </section>
          <section aria-labelledby="published" className="space-y-3">
            <h2 id="published" className="text-lg font-semibold">
              Published last
            </h2>
            {published.length === 0 ? (
              <p className="text-ink-soft">None yet.</p>
            ) : (
              table("Events that were published last, the latest first", published)
            )}
          </section>
        </>
      )}
    </div>
  );
}

interface OutboxTableProps {
  caption: string;
  lines: readonly OutboxLine[];
  timeZone: string;
  nowMs: number;
}

function OutboxTable({ caption, lines, timeZone, nowMs }: OutboxTableProps) {
  return (
    <DataTable
      caption={caption}
      head={
        <>
          <HeadCell>Event</HeadCell>
          <HeadCell>Id</HeadCell>
          <HeadCell>Not before</HeadCell>
          <HeadCell>Published</HeadCell>
          <HeadCell className="text-right">Tries</HeadCell>
        </>
      }
    >
      {lines.map((line) => (
        <tr key={line.id}>
          <RowHead className="font-medium whitespace-nowrap">{line.eventName}</RowHead>
          <Cell className="min-w-48">
            <Code>{line.eventId}</Code>
          </Cell>
          <Cell className="whitespace-nowrap">
            <When atMs={line.notBeforeMs} timeZone={timeZone} nowMs={nowMs} seconds />
          </Cell>
          <Cell className="whitespace-nowrap">
            {line.publishedAtMs !== null ? (
              <When atMs={line.publishedAtMs} timeZone={timeZone} nowMs={nowMs} seconds />
            ) : line.claimedUntilMs !== null && line.claimedUntilMs > nowMs ? (
              "being published"
            ) : (
              "not yet"
            )}
          </Cell>
          <Cell className="text-right">{line.tries}</Cell>
        </tr>
      ))}
    </DataTable>
  );
}
