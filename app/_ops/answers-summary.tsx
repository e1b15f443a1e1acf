import type { Answers } from "../../db/console/questions";
import { TextLink } from "../_ui/button";
import { Card } from "../_ui/page-parts";
import { count, duration, partitionName, plain, share } from "./words";

/** The four questions in one line each, over all partitions; their page has them by partition and lane. */
export function AnswersSummary({ answers }: { answers: Answers }) {
  return (
    <section aria-labelledby="answers">
      <Card className="space-y-4">
        <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1">
          <h2 id="answers" className="text-lg font-semibold">
            The four questions, last {duration(answers.atMs - answers.sinceMs)}
          </h2>
          <TextLink href="/ops/questions">By partition and lane</TextLink>
        </div>
        <dl className="grid gap-x-6 gap-y-4 text-sm sm:grid-cols-2 xl:grid-cols-4">
          {[oldestOf(answers), delayedOf(answers), deadOf(answers), refusedOf(answers)].map((answer) => (
            <div key={answer.question} className="min-w-0">
              <dt className="text-ink-soft">{answer.question}</dt>
              <dd className="text-base font-semibold tabular-nums">{answer.value}</dd>
              <dd className="break-words text-ink-soft">{answer.more}</dd>
            </div>
          ))}
        </dl>
      </Card>
    </section>
  );
}

interface Answer {
  question: string;
  value: string;
  more: string;
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

function oldestOf({ queues }: Answers): Answer {
  const [oldest] = queues
    .filter((row) => row.oldestReadyMs !== null)
    .sort((one, other) => (other.oldestReadyMs ?? 0) - (one.oldestReadyMs ?? 0));
  const overdueMs = Math.max(0, ...queues.map((row) => row.oldestOverdueMs ?? 0));
  const overdue = overdueMs > 0 ? `most overdue ${duration(overdueMs)}` : "nothing is overdue";
  return {
    question: "Oldest ready",
    value: oldest === undefined ? "none" : duration(oldest.oldestReadyMs ?? 0),
    more: oldest === undefined ? overdue : `${partitionName(oldest.partition)}, ${oldest.lane}; ${overdue}`,
  };
}

function delayedOf({ delays }: Answers): Answer {
  const attempted = sum(delays.map((row) => row.attempted));
  const part = (of: (row: Answers["delays"][number]) => number) =>
    share(attempted === 0 ? 0 : sum(delays.map(of)) / attempted);
  return {
    question: "Delayed by admission · by 429",
    value: `${part((row) => row.byAdmission)} · ${part((row) => row.byThrottling)}`,
    more: `of ${count(attempted)} attempted`,
  };
}

function deadOf({ dead }: Answers): Answer {
  return {
    question: "Dead",
    value: count(sum(dead.map((row) => row.count))),
    more: byReason(dead) || "nothing needs a decision",
  };
}

function refusedOf({ refused }: Answers): Answer {
  const lately = refused.map(({ reason, recent }) => ({ reason, count: recent }));
  return {
    question: "Claims refused by the ledger",
    value: count(sum(lately.map((row) => row.count))),
    more: byReason(lately) || "no duplicate was tried",
  };
}

/** `60 message rejected, 3 outcome unknown`, the most first. */
function byReason(rows: readonly { reason: string; count: number }[]): string {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(row.reason, (counts.get(row.reason) ?? 0) + row.count);
  return [...counts]
    .filter(([, value]) => value > 0)
    .sort(([, one], [, other]) => other - one)
    .map(([reason, value]) => `${count(value)} ${plain(reason)}`)
    .join(", ");
}
