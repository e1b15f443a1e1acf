import type { Bench } from "./bench";
import { postOne, steadily } from "./create";
import { accepted, latenessOf, ledgerRows, untilAccepted } from "./evidence";
import { percentile } from "./figures";
import { makeReminders, makeShoppers, publish } from "./load";
import { brokenPromises } from "./proof";
import type { Stage } from "./stage";
import { warmUp } from "./warm-up";

const DIFFERENT_SHOPPERS = 500;

/** Posted before the measured ones, at the same pace: the compiler, the connections and the heap reach their size. */
const WARM_UP_SECONDS = 10;

/** After the last of them is due; what is not accepted by then is counted as missing. */
const DRAIN_MS = 60_000;

const MINUTE_MS = 60_000;

/** A shop's import runs while its reminders of the day go out: does either notice the other, and does anything get lost? */
export const bench: Bench = {
  question:
    "POST /api/v1/reminders at 200 a second while thousands of deliveries come due: time, loss, memory",
  floor: "one transaction for each post and a half for each delivery, beside each other on one machine",
  rates: { email: 200 },
  parameters: (scale) => ({
    requestsPerSecond: 200,
    seconds: Math.max(10, Math.round(60 * scale)),
    due: Math.round(5_000 * scale),
    ratePerSecond: 200,
  }),
  targets: {
    createP99Ms: { atMost: 50 },
    failed: { atMost: 0 },
    lost: { atMost: 0 },
    missing: { atMost: 0 },
    duplicates: { atMost: 0 },
    promisesBroken: { atMost: 0 },
    // A leak of one kilobyte a request would be a tenth of it.
    memoryEndOverBegin: { atMost: 1.2 },
  },
  async run(stage, { requestsPerSecond = 0, seconds = 0, due = 0, ratePerSecond = 0 }) {
    await stage.control("resend", { ratePerSecond, burst: ratePerSecond / 10 });
    const shoppers = await makeShoppers(stage, DIFFERENT_SHOPPERS, ["email"]);
    await warmUp(stage, ["email"]);
    const beganMs = Date.now();
    const startMs = beganMs + WARM_UP_SECONDS * 1000;
    const wanted = Array.from({ length: due }, (_, index) => ({
      subscriberId: shoppers[index % shoppers.length]?.id ?? "",
      dueAtMs: startMs + Math.random() * seconds * 1000,
      channels: ["email" as const],
    }));
    await makeReminders(stage, wanted);
    await publish(stage, shoppers);
    const left = Math.max(1, Math.round((startMs - Date.now()) / 1000));
    await steadily(requestsPerSecond, left, (index) => postOne(stage, shoppers, index));
    const memoryBeginMiB = stage.appMemoryMiB();
    const answers = await steadily(requestsPerSecond, seconds, (index) => postOne(stage, shoppers, index));
    const memoryEndMiB = stage.appMemoryMiB();
    await untilAccepted(stage, "resend", due, DRAIN_MS);
    const times = answers.map(({ ms }) => ms);
    const ids = answers.flatMap(({ value }) => value ?? []);
    const sends = accepted(await stage.calls("resend"));
    const lateness = latenessOf(sends, await ledgerRows(stage, "email", beganMs - MINUTE_MS));
    return {
      createP99Ms: percentile(times, 0.99),
      createP50Ms: percentile(times, 0.5),
      createMaxMs: Math.max(...times),
      requests: answers.length,
      failed: answers.length - ids.length,
      lost: ids.length - (await countKept(stage, ids)),
      missing: due - new Set(sends.map(({ key }) => key)).size,
      duplicates: (await stage.summary("resend")).duplicates,
      latenessP50Ms: percentile(lateness, 0.5),
      latenessP99Ms: percentile(lateness, 0.99),
      memoryBeginMiB,
      memoryEndMiB,
      memoryEndOverBegin: memoryEndMiB / memoryBeginMiB,
      promisesBroken: (await brokenPromises(stage)).length,
    };
  },
};

/** Of these reminders those that will come: the wait is read from their occurrence, by its run or by the sweep. */
async function countKept(stage: Stage, ids: readonly string[]): Promise<number> {
  const [row] = await stage.sql<{ count: number }[]>`
    select count(*)::int as count from reminders r join occurrences o on o.reminder_id = r.id and o.state = 'waiting'
    where r.id = any(${ids as string[]}::uuid[])`;
  return row?.count ?? 0;
}
