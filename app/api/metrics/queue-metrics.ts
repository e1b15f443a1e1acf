import { Counter, Gauge, Registry } from "prom-client";
import type { CleanupRun } from "../../../db/cleanup/runs";
import type { Answers, Endings } from "../../../db/console/questions";
import type { GateOutcome } from "../../../db/console/slos";

/** What the ledger says at one scrape. */
export interface LedgerFigures {
  answers: Answers;
  gate: GateOutcome;
  /** What ended in five minutes and in an hour, for burn rates. */
  burn: readonly { window: "5m" | "1h"; endings: readonly Endings[] }[];
  outbox: { waiting: number; oldestMs: number | null };
  sweepAgeMs: number | null;
  cleanup: CleanupRun | null;
  certain: boolean;
}

type Labels = Record<string, string>;
type Sample = [labels: Labels, value: number | null];

/**
 * The ledger's figures as metrics, made anew for each scrape: the same read as the console's and the command line's, so
 * that the numbers are equal. Labels are partitions, lanes, channels and reasons; never a subscriber.
 */
export function ledgerMetrics(figures: LedgerFigures): Registry {
  const registry = new Registry();
  const gauge = (name: string, help: string, labelNames: string[], samples: Sample[]) => {
    const metric = new Gauge({ name, help, labelNames, registers: [registry] });
    for (const [labels, value] of samples) if (value !== null) metric.set(labels, value);
  };
  const refused = new Counter({
    name: "claims_refused_total",
    help: "Claims that the ledger refused.",
    labelNames: ["partition", "reason"],
    registers: [registry],
  });
  for (const { partition, reason, total } of figures.answers.refused)
    refused.inc({ partition, reason }, total);
  queueMetrics(gauge, figures);
  windowMetrics(gauge, figures);
  upkeepMetrics(gauge, figures);
  return registry;
}

type AddGauge = (name: string, help: string, labelNames: string[], samples: Sample[]) => void;

const inSeconds = (ms: number | null) => (ms === null ? null : ms / 1000);

function queueMetrics(gauge: AddGauge, { answers }: LedgerFigures): void {
  const byLane = ["partition", "channel", "lane"];
  const lanes = (value: (row: Answers["queues"][number]) => number | null) =>
    answers.queues.map((row): Sample => {
      const { partition, channel, lane } = row;
      return [{ partition, channel, lane }, value(row)];
    });
  gauge(
    "punctual_queue_ready",
    "Deliveries that are eligible now.",
    byLane,
    lanes((row) => row.ready),
  );
  gauge(
    "punctual_queue_waiting",
    "Deliveries that wait for a time.",
    byLane,
    lanes((row) => row.waiting),
  );
  gauge(
    "punctual_queue_sending",
    "Deliveries whose call is under way.",
    byLane,
    lanes((row) => row.sending),
  );
  gauge(
    "punctual_queue_oldest_ready_seconds",
    "Age of the oldest ready delivery.",
    byLane,
    lanes((row) => inSeconds(row.oldestReadyMs ?? 0)),
  );
  gauge(
    "punctual_queue_oldest_overdue_seconds",
    "How late the most overdue delivery is, deferrals included.",
    byLane,
    lanes((row) => inSeconds(row.oldestOverdueMs ?? 0)),
  );
  const ages = answers.queues.flatMap((row): Sample[] => {
    const { partition, channel, lane } = row;
    return [
      [{ partition, channel, lane, quantile: "0.5" }, inSeconds(row.ageP50Ms)],
      [{ partition, channel, lane, quantile: "0.99" }, inSeconds(row.ageP99Ms)],
    ];
  });
  gauge("punctual_queue_age_seconds", "Age of what is ready now.", [...byLane, "quantile"], ages);
  gauge(
    "punctual_queue_drain_seconds",
    "Forecast until the ready work is gone at the present rate.",
    byLane,
    lanes((row) => inSeconds(row.drainMs ?? 0)),
  );
  gauge(
    "punctual_dead_letters",
    "Dead deliveries that wait for a decision.",
    ["partition", "reason"],
    answers.dead.map(({ partition, reason, count }) => [{ partition, reason }, count]),
  );
}

/** What `answers` look at of the past: see `CALLS_MAX`. */
const IN_WINDOW = "last 15 minutes, the newest 10,000 calls at most";

function windowMetrics(gauge: AddGauge, { answers, gate, burn }: LedgerFigures): void {
  const byChannel = ["channel", "lane"];
  const channels = (value: (row: Answers["delays"][number]) => number | null) =>
    answers.delays.map((row): Sample => [{ channel: row.channel, lane: row.lane }, value(row)]);
  const share = (part: number, whole: number) => (whole === 0 ? 0 : part / whole);
  gauge(
    "punctual_delayed_by_admission_ratio",
    `Share of attempted deliveries admitted over a second late, ${IN_WINDOW}.`,
    byChannel,
    channels((row) => share(row.byAdmission, row.attempted)),
  );
  gauge(
    "punctual_delayed_by_throttling_ratio",
    `Share of attempted deliveries with any 429, ${IN_WINDOW}.`,
    byChannel,
    channels((row) => share(row.byThrottling, row.attempted)),
  );
  gauge(
    "punctual_attempts",
    `Calls begun, ${IN_WINDOW}.`,
    byChannel,
    channels((row) => row.attempts),
  );
  gauge(
    "punctual_accepted",
    `Deliveries accepted, ${IN_WINDOW}.`,
    byChannel,
    channels((row) => row.accepted),
  );
  gauge(
    "punctual_died",
    `Deliveries that died, ${IN_WINDOW}.`,
    byChannel,
    channels((row) => row.died),
  );
  const lateness = answers.delays.flatMap((row): Sample[] => [
    [{ channel: row.channel, lane: row.lane, quantile: "0.5" }, inSeconds(row.dueToAcceptedP50Ms)],
    [{ channel: row.channel, lane: row.lane, quantile: "0.99" }, inSeconds(row.dueToAcceptedP99Ms)],
  ]);
  gauge(
    "punctual_due_to_accepted_seconds",
    `From due to accepted, ${IN_WINDOW}.`,
    [...byChannel, "quantile"],
    lateness,
  );
  const judged = gate.measures.filter((measure) => measure.limit !== null);
  const labelsOf = ({ channel, lane, measure }: GateOutcome["measures"][number]) => ({
    channel,
    lane,
    measure,
  });
  const measured = [...byChannel, "measure"];
  gauge("punctual_slo_ratio", "A measure over its limit; above 1 the promise is broken.", measured, [
    ...judged.map((row): Sample => [labelsOf(row), share(row.value, row.limit ?? 0)]),
  ]);
  // One death per thousand allowed and five found burns the budget five times as fast as it may.
  const burning = burn.flatMap(({ window, endings }) =>
    endings.map((row): Sample => {
      const ended = row.accepted + row.died;
      return [{ channel: row.channel, lane: row.lane, window }, share(row.died, ended)];
    }),
  );
  gauge("punctual_dead_ratio", "Share of endings that were deaths.", [...byChannel, "window"], burning);
}

function upkeepMetrics(gauge: AddGauge, figures: LedgerFigures): void {
  const { outbox, sweepAgeMs, cleanup, certain, answers } = figures;
  const age = outbox.oldestMs === null ? 0 : answers.atMs - outbox.oldestMs;
  gauge(
    "punctual_outbox_waiting",
    "Events past their time that are not published.",
    [],
    [[{}, outbox.waiting]],
  );
  gauge("punctual_outbox_oldest_seconds", "Age of the oldest of them.", [], [[{}, inSeconds(age)]]);
  gauge("punctual_sweep_age_seconds", "Since the last sweep began.", [], [[{}, inSeconds(sweepAgeMs)]]);
  gauge("punctual_ownership_certain", "1 when cleanup and redrive are open.", [], [[{}, certain ? 1 : 0]]);
  gauge("punctual_cleanup_removed", "Rows that the last cleanup removed.", [], [[{}, cleanup?.removed ?? 0]]);
}
