import { Gauge as GaugeIcon } from "lucide-react";
import type { Metadata } from "next";
import Link from "next/link";
import { readFlow } from "../../../db/console/flow";
import { readPartitionHealth } from "../../../db/console/partitions";
import { readPulse } from "../../../db/console/pulse";
import { readAnswers } from "../../../db/console/questions";
import { readSlos } from "../../../db/console/slos";
import { readOutboxLag } from "../../../db/outbox";
import { requireReader } from "../../_auth/operator";
import { AnswersSummary } from "../../_ops/answers-summary";
import { Concerns } from "../../_ops/concerns";
import { FlowChart } from "../../_ops/flow-chart";
import { ageSloOf } from "../../_ops/health";
import { HealthCard } from "../../_ops/health-card";
import { address, one } from "../../_ops/words";
import { LiveUpdates } from "../../_reminders/live-updates";
import { Card, EmptyState, PageHeading } from "../../_ui/page-parts";

export const metadata: Metadata = { title: "Overview" };

const MINUTE_MS = 60_000;

const SPANS = [
  { name: "15m", word: "15 minutes", ms: 15 * MINUTE_MS },
  { name: "1h", word: "1 hour", ms: 60 * MINUTE_MS },
  { name: "6h", word: "6 hours", ms: 360 * MINUTE_MS },
] as const;

/** The window of the four questions, as `/api/metrics` has it. */
const ANSWERS_MS = 15 * MINUTE_MS;

/** Often enough to see a pause take hold, seldom enough to cost the database nothing. */
const LOOK_AGAIN_MS = 5_000;

/** The page of 03:00: what is wrong first, then every partition and lane, then the last hour. */
export default async function OverviewPage({ searchParams }: PageProps<"/ops">) {
  const reader = await requireReader("/ops");
  const query = await searchParams;
  const span = SPANS.find(({ name }) => name === one(query, "span")) ?? SPANS[1];
  const [partitions, pulse, lag, flow, slos, answers] = await Promise.all([
    readPartitionHealth(),
    readPulse(),
    readOutboxLag(),
    readFlow(span.ms),
    readSlos(),
    readAnswers(ANSWERS_MS),
  ]);
  const { timeZone, nowMs } = reader;
  const slo = ageSloOf(slos);
  return (
    <div className="space-y-8">
      <PageHeading title="Overview" actions={<LiveUpdates lookAgainMs={LOOK_AGAIN_MS} readAtMs={nowMs} />} />
      <Concerns
        partitions={partitions}
        pulse={pulse}
        slo={slo}
        outboxLag={lag}
        timeZone={timeZone}
        nowMs={nowMs}
      />
      <section aria-labelledby="partitions" className="space-y-3">
        <h2 id="partitions" className="text-lg font-semibold">
          Partitions
        </h2>
        {partitions.length === 0 ? (
          <EmptyState icon={<GaugeIcon aria-hidden className="size-6" />} title="No partition yet">
            Each provider budget has one. The first delivery of a channel makes its own, with the rates that
            the environment sets.
          </EmptyState>
        ) : (
          <div className="grid gap-4 xl:grid-cols-2">
            {partitions.map((health) => (
              <HealthCard
                key={health.partition}
                health={health}
                pulse={pulse.partitions.find((entry) => entry.partition === health.partition)}
                slo={slo}
                timeZone={timeZone}
                nowMs={nowMs}
              />
            ))}
          </div>
        )}
      </section>
      <AnswersSummary answers={answers} />
      <section aria-labelledby="flow">
        <Card className="space-y-4">
          <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
            <h2 id="flow" className="text-lg font-semibold">
              Sent, deferred, dead
            </h2>
            <nav aria-label="Time shown" className="flex rounded-lg bg-sunken p-1">
              {SPANS.map(({ name, word }) => (
                <Link
                  key={name}
                  href={address("/ops", { span: name })}
                  scroll={false}
                  aria-current={span.name === name ? "true" : undefined}
                  className={`inline-flex min-h-9 items-center rounded-md px-3 text-sm font-medium ${span.name === name ? "bg-raised text-ink shadow-sm" : "text-ink-soft hover:text-ink"}`}
                >
                  {word}
                </Link>
              ))}
            </nav>
          </div>
          <FlowChart flow={flow} timeZone={timeZone} />
        </Card>
      </section>
    </div>
  );
}
