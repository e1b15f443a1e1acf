import type { ReactNode } from "react";
import type { Answers, Delays } from "../../db/console/questions";
import { DEAD_REASONS } from "../../db/rules/lifecycle";
import { TextLink } from "../_ui/button";
import { Card } from "../_ui/page-parts";
import { deadAddress } from "./dead-filter";
import { Cell, DataTable, HeadCell, RowHead, WIDE } from "./table";
import { count, duration, partitionName, plain, share } from "./words";

/** The operators' four questions, answered by the same verb as `/api/metrics`, so that the numbers are equal. */
export function FourQuestions({ answers }: { answers: Answers }) {
  const windowMs = answers.atMs - answers.sinceMs;
  return (
    <section aria-labelledby="questions" className="space-y-4">
      <h2 id="questions" className="text-lg font-semibold">
        The four questions, last {duration(windowMs)}
      </h2>
      <div className="grid gap-4 xl:grid-cols-2">
        <Question title="How old is the oldest?" wide>
          <Oldest answers={answers} />
        </Question>
        <Question title="What is delayed, and by whom?" wide>
          <Delayed delays={answers.delays.filter((row) => row.attempted + row.accepted + row.died > 0)} />
        </Question>
        <Question title="How many are dead, and why?">
          <Dead answers={answers} />
        </Question>
        <Question title="What did the ledger refuse?">
          <Refusals answers={answers} />
        </Question>
      </div>
    </section>
  );
}

function Question({ title, wide, children }: { title: string; wide?: boolean; children: ReactNode }) {
  return (
    <Card className={`min-w-0 space-y-3 ${wide ? "xl:col-span-2" : ""}`}>
      <h3 className="font-semibold">{title}</h3>
      {children}
    </Card>
  );
}

function Oldest({ answers }: { answers: Answers }) {
  const busy = answers.queues.filter((row) => row.oldestReadyMs !== null || row.oldestOverdueMs !== null);
  if (busy.length === 0) return <p className="text-ink-soft">Nothing is ready and nothing is overdue.</p>;
  const age = (ms: number | null) => (ms === null ? "–" : duration(ms));
  return (
    <DataTable
      caption="Queue age per partition and lane"
      head={
        <>
          <HeadCell>Lane</HeadCell>
          <HeadCell className="text-right">Oldest ready</HeadCell>
          <HeadCell className={`text-right ${WIDE}`}>p50</HeadCell>
          <HeadCell className={`text-right ${WIDE}`}>p99</HeadCell>
          <HeadCell className="text-right">Most overdue</HeadCell>
          <HeadCell className={`text-right ${WIDE}`}>Drains in</HeadCell>
        </>
      }
    >
      {busy.map((row) => (
        <tr key={`${row.partition} ${row.lane}`}>
          <RowHead className="md:min-w-32">
            {row.lane}
            <span className="block break-all text-ink-soft">{partitionName(row.partition)}</span>
          </RowHead>
          <Cell className="text-right whitespace-nowrap">{age(row.oldestReadyMs)}</Cell>
          <Cell className={`text-right whitespace-nowrap ${WIDE}`}>{age(row.ageP50Ms)}</Cell>
          <Cell className={`text-right whitespace-nowrap ${WIDE}`}>{age(row.ageP99Ms)}</Cell>
          <Cell className="text-right whitespace-nowrap">{age(row.oldestOverdueMs)}</Cell>
          <Cell className={`text-right whitespace-nowrap ${WIDE}`}>{age(row.drainMs)}</Cell>
        </tr>
      ))}
    </DataTable>
  );
}

function Delayed({ delays }: { delays: readonly Delays[] }) {
  if (delays.length === 0) return <p className="text-ink-soft">Nothing was called.</p>;
  const part = (some: number, of: number) => (of === 0 ? "–" : share(some / of));
  return (
    <DataTable
      caption="Share of what was attempted that was delayed, per channel and lane"
      head={
        <>
          <HeadCell>Lane</HeadCell>
          <HeadCell className={`text-right ${WIDE}`}>Attempted</HeadCell>
          <HeadCell className="text-right">By admission</HeadCell>
          <HeadCell className="text-right">By 429</HeadCell>
          <HeadCell className={`text-right ${WIDE}`}>Due to sent p99</HeadCell>
        </>
      }
    >
      {delays.map((row) => (
        <tr key={`${row.channel} ${row.lane}`}>
          <RowHead className="md:whitespace-nowrap">
            {row.channel} · {row.lane}
          </RowHead>
          <Cell className={`text-right ${WIDE}`}>{count(row.attempted)}</Cell>
          <Cell className="text-right">{part(row.byAdmission, row.attempted)}</Cell>
          <Cell className="text-right">{part(row.byThrottling, row.attempted)}</Cell>
          <Cell className={`text-right whitespace-nowrap ${WIDE}`}>
            {row.dueToAcceptedP99Ms === null ? "–" : duration(row.dueToAcceptedP99Ms)}
          </Cell>
        </tr>
      ))}
    </DataTable>
  );
}

function Dead({ answers }: { answers: Answers }) {
  if (answers.dead.length === 0) return <p className="text-ink-soft">None.</p>;
  return (
    <ul className="divide-y divide-line">
      {answers.dead.map((row) => (
        <li key={`${row.partition} ${row.reason}`} className="flex items-baseline justify-between gap-4 py-2">
          <span className="min-w-0">
            <TextLink
              href={deadAddress("/ops/dead-letters", {
                partition: row.partition,
                reason: DEAD_REASONS.find((reason) => reason === row.reason),
              })}
            >
              {plain(row.reason)}
            </TextLink>
            <span className="block text-sm break-all text-ink-soft">{partitionName(row.partition)}</span>
          </span>
          <span className="font-semibold tabular-nums">{count(row.count)}</span>
        </li>
      ))}
    </ul>
  );
}

function Refusals({ answers }: { answers: Answers }) {
  const refused = answers.refused.filter((row) => row.total > 0);
  if (refused.length === 0) return <p className="text-ink-soft">No claim was refused.</p>;
  return (
    <DataTable
      caption="Claims that the ledger refused, by reason"
      head={
        <>
          <HeadCell>Reason</HeadCell>
          <HeadCell className="text-right">Lately</HeadCell>
          <HeadCell className="text-right">Ever</HeadCell>
        </>
      }
    >
      {refused.map((row) => (
        <tr key={`${row.partition} ${row.reason}`}>
          <RowHead className="break-all">
            {plain(row.reason)}
            <span className="block text-ink-soft">{partitionName(row.partition)}</span>
          </RowHead>
          <Cell className="text-right">{count(row.recent)}</Cell>
          <Cell className="text-right">{count(row.total)}</Cell>
        </tr>
      ))}
    </DataTable>
  );
}
