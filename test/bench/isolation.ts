import { setTimeout as sleep } from "node:timers/promises";
import { setLimits } from "../../db/admission/controls";
import { closeDatabase } from "../../db/connection";
import type { Channel } from "../../db/rules/outcome";
import { fillLedger } from "./backlog";
import type { Bench, Figures, Target } from "./bench";
import { countTransactions, latenessOf, ledgerRows, untilAccepted } from "./evidence";
import { percentile } from "./figures";
import { makeReminders, makeShoppers, remindAtRandom } from "./load";
import { PROVIDERS, type Stage } from "./stage";
import { warmUp } from "./warm-up";

/** Long enough ahead that every wait is the engine's. */
const AHEAD_MS = 6_000;

/** What a throttling provider asks for each time. */
const RETRY_AFTER_SECONDS = 5;

/** Texts are due this long before the bystanders: what is measured is their refusal, not five hundred openings at once. */
const THROTTLED_BEFORE_MS = 3_000;

/** The pumps of what has just ended come to rest, and the counts of their transactions are handed over. */
const SETTLED_MS = 5_000;

const BYSTANDERS = ["push", "email"] as const satisfies Channel[];

/** Two times of a few dozen milliseconds may differ by the machine's noise. */
const NOT_MOVED: Target = { atMost: 1.1 };
const notMovedOr = (name: string): Target => ({ ...NOT_MOVED, or: { name, atMost: 20 } });

/** SMS is throttled, then stopped with a huge backlog: do push and email notice, and what does the standstill cost? */
export const bench: Bench = {
  question:
    "p99 queue age of push and email while SMS is throttled or stopped ÷ alone; cost of the standstill",
  floor: "1: what the same load needs with SMS idle; 0 transactions a second",
  rates: { email: 100, sms: 20, push: 100 },
  parameters: (scale) => ({
    perSecond: 40,
    seconds: Math.max(5, Math.round(12 * scale)),
    throttledSms: Math.round(500 * scale),
    waitingSms: Math.round(100_000 * scale),
    idleSeconds: Math.max(10, Math.round(30 * scale)),
  }),
  targets: {
    isolation: {
      ...notMovedOr("isolationMs"),
      peer: "a shared due index: 20 ms against 0.2 ms a claim",
    },
    emailIsolation: notMovedOr("emailIsolationMs"),
    isolationStopped: notMovedOr("isolationStoppedMs"),
    emailIsolationStopped: notMovedOr("emailIsolationStoppedMs"),
    idleTransactionsPerSecond: { atMost: 2, peer: "BullMQ on Redis: 100 % of a CPU (its issue 218)" },
    duplicates: { atMost: 0 },
  },
  async run(stage, { perSecond = 0, seconds = 0, throttledSms = 0, waitingSms = 0, idleSeconds = 0 }) {
    for (const channel of BYSTANDERS)
      await stage.control(PROVIDERS[channel], { ratePerSecond: 100, burst: 10 });
    await stage.control("twilio", { ratePerSecond: 20, burst: 10 });
    await warmUp(stage, ["email", "push", "sms"]);
    const load = { perSecond, seconds };
    const alone = await ageOfBystanders(stage, load);

    const refusing = { fault: "throttle", retryAfterSeconds: RETRY_AFTER_SECONDS };
    await stage.control("twilio", refusing);
    const throttled = await ageOfBystanders(stage, { ...load, sms: throttledSms });
    const { throttled: sms429s } = throttled;

    const partition = await stopSms(stage);
    const backlog = { partition, channel: "sms", lane: "standard", state: "ready", owners: 1_000 } as const;
    await fillLedger(stage, stage.sql, { ...backlog, count: waitingSms });
    const idleTransactionsPerSecond = await transactionsPerSecond(stage, idleSeconds);
    const stopped = await ageOfBystanders(stage, load);

    return {
      ...comparison("isolation", alone.push, throttled.push),
      ...comparison("emailIsolation", alone.email, throttled.email),
      ...comparison("isolationStopped", alone.push, stopped.push),
      ...comparison("emailIsolationStopped", alone.email, stopped.email),
      pushP99AloneMs: alone.push,
      emailP99AloneMs: alone.email,
      idleTransactionsPerSecond,
      sms429s,
      duplicates: alone.duplicates + throttled.duplicates + stopped.duplicates,
      missing: alone.missing + throttled.missing + stopped.missing,
    };
  },
};

type Ages = { push: number; email: number; throttled: number; duplicates: number; missing: number };

/** p99 from the due instant to the call, of push and email at random instants, beside `sms` that are due already. */
async function ageOfBystanders(
  stage: Stage,
  load: { perSecond: number; seconds: number; sms?: number },
): Promise<Ages> {
  await stage.clearCalls();
  const count = load.perSecond * load.seconds;
  const shoppers = await makeShoppers(stage, count, BYSTANDERS);
  const texted = await makeShoppers(stage, load.sms ?? 0, ["sms"]);
  const textedAtMs = Date.now() + AHEAD_MS;
  const startMs = textedAtMs + THROTTLED_BEFORE_MS;
  await makeReminders(
    stage,
    texted.map(({ id }) => ({ subscriberId: id, dueAtMs: textedAtMs, channels: ["sms"] })),
  );
  await remindAtRandom(stage, shoppers, { startMs, seconds: load.seconds }, BYSTANDERS);
  await sleep(startMs - Date.now());
  const ages: Ages = { push: 0, email: 0, throttled: 0, duplicates: 0, missing: 0 };
  for (const channel of BYSTANDERS) {
    const provider = PROVIDERS[channel];
    await untilAccepted(stage, provider, count, load.seconds * 1000 + 30_000);
    const { accepted, duplicates } = await stage.summary(provider);
    ages[channel] = percentile(
      latenessOf(await stage.calls(provider), await ledgerRows(stage, channel)),
      0.99,
    );
    ages.duplicates += duplicates;
    ages.missing += count - accepted;
  }
  ages.throttled = (await stage.summary("twilio")).throttled;
  return ages;
}

function comparison(name: string, aloneMs: number, besideMs: number): Figures {
  return { [name]: besideMs / aloneMs, [`${name}Ms`]: besideMs - aloneMs };
}

/** Rate 0, as an operator would set it; answers the partition. */
async function stopSms(stage: Stage): Promise<string> {
  const [row] = await stage.sql<{ key: string }[]>`select key from partitions where channel = 'sms'`;
  const key = row?.key ?? "";
  process.env.DATABASE_URL = stage.databaseUrl;
  try {
    const stopped = await setLimits(key, { ceiling: 0 }, { name: "bench", reason: "measure a standstill" });
    if (!stopped.ok) throw new Error(`${key} cannot be stopped: ${stopped.problem.code}`);
  } finally {
    await closeDatabase();
  }
  return key;
}

/** All transactions of the database while nothing is due. */
export async function transactionsPerSecond(stage: Stage, seconds: number): Promise<number> {
  await sleep(SETTLED_MS);
  const before = await countTransactions(stage);
  const startMs = performance.now();
  await sleep(seconds * 1000);
  const count = (await countTransactions(stage)) - before;
  return count / ((performance.now() - startMs) / 1000);
}
