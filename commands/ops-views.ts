import { readForecastAccuracy } from "../db/console/forecast-accuracy";
import { checkInvariants } from "../db/console/invariants";
import { readPartitionHealth } from "../db/console/partitions";
import { showCapacity } from "./ops-capacity";
import { answer, type Verb } from "./ops-verbs";

export const VIEWS_HELP = `  invariants                                  the promises, asked of the database; ends with 1 when one is broken
  partitions                                  every partition: rate, ceiling, what closes it, lanes and their age
  forecast [--since 24h]                      how good the forecasts of accepted deliveries were
  capacity [--burst 14400]                    what a burst would meet, forecasts beside what happened, cost per million`;

const DAY_MS = 86_400_000;

/** The verbs that only look. */
export const VIEWS: Record<string, Verb> = {
  async invariants() {
    const invariants = await checkInvariants();
    const lines = invariants.checks.flatMap(({ promise, name, violations, sample }) => [
      `${promise}  ${(violations === 0 ? "kept" : `BROKEN ${violations}`).padEnd(11)} ${name}`,
      ...sample.map((key) => `                ${key}`),
    ]);
    return answer(invariants, lines, invariants.ok);
  },
  async partitions() {
    const partitions = await readPartitionHealth();
    const none = "There is no partition yet: the first delivery of a channel makes its own.";
    return answer({ partitions }, partitions.length === 0 ? [none] : partitions.flatMap(partitionLines));
  },
  async forecast({ duration }) {
    const accuracy = await readForecastAccuracy(duration("since") ?? DAY_MS);
    const none = "No delivery that was forecast has been accepted in that time.";
    return answer({ accuracy }, accuracy.length === 0 ? [none] : accuracy.map(accuracyLine));
  },
  capacity: async ({ number, values }) => showCapacity(number(values.burst ?? "14400", "burst")),
};

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

function accuracyLine({
  channel,
  lane,
  count,
  ...error
}: Awaited<ReturnType<typeof readForecastAccuracy>>[number]): string {
  const within = `${Math.round(error.withinRange * 100)} % within the range`;
  return `${channel.padEnd(6)} ${lane.padEnd(9)} ${count} forecasts   median ${seconds(error.errorP50Ms)} late   off by ${seconds(error.absoluteP50Ms)}, nine in ten by ${seconds(error.absoluteP90Ms)} at most   ${within}`;
}

function partitionLines(partition: Awaited<ReturnType<typeof readPartitionHealth>>[number]): string[] {
  const rate = `${partition.rate.toFixed(1)}/s of ${Math.min(partition.ceiling, partition.observedCeiling ?? partition.ceiling)}/s`;
  const until =
    partition.closedUntilMs === null ? "" : ` until ${new Date(partition.closedUntilMs).toISOString()}`;
  const busy = partition.lanes.filter((lane) => lane.ready + lane.waiting + lane.sending > 0);
  return [
    `${partition.partition}   ${rate}   ${partition.closed === null ? "open" : `${partition.closed}${until}`}`,
    ...busy.map((lane) => {
      const age = lane.oldestOverdueMs === null ? "" : `   oldest ${seconds(lane.oldestOverdueMs)} late`;
      return `  ${lane.lane.padEnd(9)} ready ${lane.ready}   waiting ${lane.waiting}   sending ${lane.sending}${age}`;
    }),
  ];
}
