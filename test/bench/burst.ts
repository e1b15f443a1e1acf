import { setTimeout as sleep } from "node:timers/promises";
import { forecastBurst } from "../../db/rules/capacity";
import type { LedgerCall } from "../../standins/providers/ledger";
import type { Bench, Figures } from "./bench";
import { accepted, untilAccepted } from "./evidence";
import { percentile } from "./figures";
import { makeShoppers, postReminder, type Shopper } from "./load";
import { makeParcels, postNotice, reportDelivered } from "./parcels";
import type { Stage } from "./stage";
import { warmUp } from "./warm-up";

const FOLLOWERS = 4;

/** A notice and a reminder every so often, beside the import. */
const BESIDE_EVERY_MS = 1_000;

/** An update is of use for two days; the forecast says what would expire. */
const USEFUL_MS = 48 * 3_600_000;

/** The provider's burst, as on the peers' stub. */
const BURST = 10;

/**
 * A carrier's import marks parcels delivered in one go, four followers each, while security notices and reminders go on:
 * once with the bulk lane's headroom off, once with it on, and a shorter one with the app killed in its middle.
 */
export const bench: Bench = {
  question:
    "an import of delivered parcels at the provider's rate: drain ÷ floor, notices and reminders beside it",
  floor: "1: everything that was sent ÷ the provider's rate; with headroom, ÷ the share that bulk may use",
  rates: { email: 40 },
  parameters: (scale) => ({
    ratePerSecond: 40,
    deliveries: Math.round(3_600 * scale) * FOLLOWERS,
    quietSeconds: Math.max(5, Math.round(20 * scale)),
  }),
  targets: {
    drainOverFloor: { atMost: 1.02 },
    throttledPerThousand: { atMost: 0 },
    duplicates: { atMost: 0 },
    missing: { atMost: 0 },
    p50OverForecast: { atLeast: 0.9, atMost: 1.1 },
    p99OverForecast: { atLeast: 0.9, atMost: 1.1 },
    urgentP99Ms: { atMost: 1_500 },
    batchP95Ms: { atMost: 1_000 },
    killedDuplicates: { atMost: 0 },
    killedMissing: { atMost: 0 },
  },
  async run(stage, { ratePerSecond = 0, deliveries = 0, quietSeconds = 0 }) {
    await stage.control("resend", { ratePerSecond, burst: BURST });
    await warmUp(stage, ["email"]);
    const beside = await makeShoppers(stage, 20, ["email"]);
    const quiet = besideTraffic(stage, beside);
    await sleep(quietSeconds * 1000);
    await quiet.end();
    const alone = await agesOf(stage, await stage.calls("resend"));
    const half = Math.round(deliveries / FOLLOWERS / 2);
    const off = await importOnce(stage, beside, { parcels: half, ratePerSecond, headroom: 0 });
    const on = await importOnce(stage, beside, { parcels: half, ratePerSecond, headroom: 0.1 });
    const killed = await killInImport(stage, { parcels: Math.round(half / 2), ratePerSecond });
    return {
      drainOverFloor: off.drainOverFloor,
      drainOverFloorWithHeadroom: on.drainOverFloor,
      p50OverForecast: off.p50OverForecast,
      p99OverForecast: off.p99OverForecast,
      p50AgeSeconds: off.p50AgeSeconds,
      p99AgeSeconds: off.p99AgeSeconds,
      urgentP99Ms: Math.max(off.urgentP99Ms, on.urgentP99Ms),
      urgentP99AloneMs: percentile(alone.urgent, 0.99),
      remindersP99Ms: Math.max(off.remindersP99Ms, on.remindersP99Ms),
      remindersP99WithHeadroomMs: on.remindersP99Ms,
      remindersP99AloneMs: percentile(alone.standard, 0.99),
      batchP95Ms: Math.max(off.batchP95Ms, on.batchP95Ms),
      throttledPerThousand: off.throttledPerThousand + on.throttledPerThousand,
      duplicates: off.duplicates + on.duplicates,
      missing: off.missing + on.missing,
      ...killed,
    };
  },
};

type ImportFigures = Record<
  | "drainOverFloor"
  | "p50OverForecast"
  | "p99OverForecast"
  | "p50AgeSeconds"
  | "p99AgeSeconds"
  | "urgentP99Ms"
  | "remindersP99Ms"
  | "batchP95Ms"
  | "throttledPerThousand"
  | "duplicates"
  | "missing",
  number
>;

async function importOnce(
  stage: Stage,
  beside: readonly Shopper[],
  given: { parcels: number; ratePerSecond: number; headroom: number },
): Promise<ImportFigures> {
  const { parcels: count, ratePerSecond, headroom } = given;
  const parcels = await makeParcels(stage, count, FOLLOWERS);
  await stage.sql`update partitions set headroom = ${headroom} where channel = 'email'`;
  await stage.clearCalls();
  const updates = count * FOLLOWERS;
  const startMs = Date.now();
  const traffic = besideTraffic(stage, beside);
  const batches = await reportDelivered(stage, parcels);
  const forecastSeconds = updates / (ratePerSecond * (1 - headroom));
  await untilBulkAccepted(stage, startMs, updates, forecastSeconds * 2_000 + 60_000);
  const others = await traffic.end();
  const calls = await stage.calls("resend");
  const ages = await agesOf(stage, calls);
  const last = Math.max(...ages.bulkAt);
  const before = accepted(calls).filter((call) => call.at <= last).length - ages.bulkAt.length;
  const perSecond = ratePerSecond * (1 - headroom);
  // Bulk's own share is the floor with headroom; without, everybody shares one rate.
  const floorMs =
    headroom > 0 ? (updates / perSecond) * 1000 : ((updates + before - BURST) / ratePerSecond) * 1000;
  const forecast = forecastBurst({
    backlogCost: 0,
    burstCost: updates,
    perSecond,
    arrivalsPerSecond: headroom > 0 ? 0 : others / ((last - startMs) / 1000),
    usefulMs: USEFUL_MS,
  });
  const summary = await stage.summary("resend");
  return {
    drainOverFloor: (last - startMs) / floorMs,
    p50OverForecast: percentile(ages.bulk, 0.5) / (forecast.p50AgeMs ?? Number.NaN),
    p99OverForecast: percentile(ages.bulk, 0.99) / (forecast.p99AgeMs ?? Number.NaN),
    p50AgeSeconds: percentile(ages.bulk, 0.5) / 1000,
    p99AgeSeconds: percentile(ages.bulk, 0.99) / 1000,
    urgentP99Ms: percentile(ages.urgent, 0.99),
    remindersP99Ms: percentile(ages.standard, 0.99),
    batchP95Ms: percentile(batches, 0.95),
    throttledPerThousand: (summary.throttled / summary.accepted) * 1000,
    duplicates: summary.duplicates,
    missing: updates - ages.bulk.length,
  };
}

/** kill -9 of the app with half of an import sent: at the end everybody has theirs, once. */
async function killInImport(
  stage: Stage,
  { parcels: count, ratePerSecond }: { parcels: number; ratePerSecond: number },
): Promise<Figures> {
  const parcels = await makeParcels(stage, count, FOLLOWERS);
  await stage.sql`update partitions set headroom = 0 where channel = 'email'`;
  await stage.clearCalls();
  const updates = count * FOLLOWERS;
  const startMs = Date.now();
  await reportDelivered(stage, parcels);
  await untilAccepted(stage, "resend", Math.round(updates / 2), 120_000);
  stage.killApp();
  await untilBulkAccepted(stage, startMs, updates, (updates / ratePerSecond) * 2_000 + 150_000);
  const { bulkAt } = await agesOf(stage, await stage.calls("resend"));
  const summary = await stage.summary("resend");
  return {
    killedDuplicates: summary.duplicates,
    killedMissing: updates - bulkAt.length,
    killedDrainOverFloor: (Math.max(...bulkAt) - startMs) / ((updates / ratePerSecond) * 1000),
  };
}

/** A notice and a reminder each second, until it is ended; answers how many there were. */
function besideTraffic(stage: Stage, shoppers: readonly Shopper[]): { end: () => Promise<number> } {
  let over = false;
  let sent = 0;
  const run = async () => {
    while (!over) {
      const shopper = shoppers[sent % shoppers.length];
      if (shopper === undefined) return;
      await postNotice(stage, shopper.externalId);
      const dueAt = new Date(Date.now() + 5_000).toISOString();
      await postReminder(stage, {
        subscriber: shopper.externalId,
        title: "Water the plants",
        dueAt,
        channels: ["email"],
      });
      sent += 1;
      await sleep(BESIDE_EVERY_MS);
    }
  };
  const running = run();
  return {
    end: async () => {
      over = true;
      await running;
      // The last reminder falls due five seconds after it was set.
      await sleep(7_000);
      return sent * 2;
    },
  };
}

async function untilBulkAccepted(
  stage: Stage,
  startMs: number,
  count: number,
  withinMs: number,
): Promise<void> {
  const giveUpAtMs = Date.now() + withinMs;
  for (;;) {
    const [row] = await stage.sql<{ count: number }[]>`
      select count(*)::int as count from deliveries where shipment_event_id is not null and state = 'delivered'
        and scheduled_at >= to_timestamp(${startMs - 1_000}::float8 / 1000)`;
    if ((row?.count ?? 0) >= count) return;
    if (Date.now() > giveUpAtMs) {
      process.stderr.write(`only ${row?.count} of ${count} updates delivered in time\n`);
      return;
    }
    await sleep(1_000);
  }
}

/** Ages of the accepted sends by lane, from their own time to the call's arrival, in milliseconds. */
async function agesOf(stage: Stage, calls: readonly LedgerCall[]) {
  const rows = await stage.sql<{ reference: string; lane: string; atMs: number }[]>`
    select reference, lane, epoch_ms(scheduled_at) as "atMs" from deliveries where channel = 'email'`;
  const byReference = new Map(rows.map((row) => [row.reference, row]));
  const ages = {
    bulk: [] as number[],
    urgent: [] as number[],
    standard: [] as number[],
    bulkAt: [] as number[],
  };
  for (const call of accepted(calls)) {
    const row = byReference.get(call.key ?? "");
    if (row === undefined) continue;
    const ageMs = call.at - row.atMs;
    if (row.lane === "bulk") {
      ages.bulk.push(ageMs);
      ages.bulkAt.push(call.at);
    } else if (row.lane === "urgent") ages.urgent.push(ageMs);
    else ages.standard.push(ageMs);
  }
  return ages;
}
