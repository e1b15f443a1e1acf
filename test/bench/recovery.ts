import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../../commands/stack-programs";
import type { Channel } from "../../db/rules/outcome";
import type { Bench, Figures } from "./bench";
import { makeReminders, makeShoppers, publish } from "./load";
import type { Stage } from "./stage";
import { warmUp } from "./warm-up";

/** Long enough ahead that every wait is the engine's. */
const AHEAD_MS = 5_000;

/** Calls take so long, still within every deadline, that the kill meets all of them under way. */
const SLOW_CALL_MS = 7_000;

/** Twice the slowest target: what is not back by then will not come. */
const HEALED_MS = 150_000;

const CHANNELS: Channel[] = ["email", "sms"];

/**
 * kill -9 of the app with calls under way: how long until the same emails are accepted, and every SMS is accounted for?
 * Half of the emails never reached the provider's books; of the others only the answer was lost.
 */
export const bench: Bench = {
  question: "from kill -9 of the app amid its calls to the same emails accepted, and every SMS accounted for",
  floor: "what is left of the 15 s lease (SMS 35 s): until then a call may still be under way somewhere",
  rates: { email: 40, sms: 40 },
  parameters: (scale) => ({ perKill: 10, kills: Math.max(1, Math.round(2 * scale)) }),
  targets: {
    recoverySeconds: {
      atMost: 45,
      peer: "BullMQ 30 to 60, pg-boss 60 to 120, River an hour, graphile-worker 4 hours",
    },
    smsRecoverySeconds: { atMost: 75 },
    duplicates: { atMost: 0 },
    smsDuplicates: { atMost: 0 },
    missing: { atMost: 0 },
  },
  async run(stage, { perKill = 0, kills = 0 }) {
    await warmUp(stage, CHANNELS);
    const rounds: Figures[] = [];
    for (let kill = 0; kill < kills; kill += 1) rounds.push(await killOnce(stage, perKill));
    const [emails, texts] = [await stage.summary("resend"), await stage.summary("twilio")];
    const worst = (name: string) => Math.max(...rounds.map((round) => round[name] ?? Number.NaN));
    const sum = (name: string) => rounds.reduce((total, round) => total + (round[name] ?? Number.NaN), 0);
    return {
      recoverySeconds: worst("emailSeconds"),
      smsRecoverySeconds: worst("smsSeconds"),
      duplicates: emails.duplicates,
      smsDuplicates: texts.duplicates,
      emailsRepeatedByKey: sum("repeats"),
      smsOutcomeUnknown: sum("smsUnknown"),
      missing: perKill * kills - emails.distinctKeys,
    };
  },
};

async function killOnce(stage: Stage, count: number): Promise<Figures> {
  const hung = { fault: "hang", faultWhen: "before", faultCount: Math.floor(count / 2) } as const;
  await stage.control("resend", { latencyMs: SLOW_CALL_MS, ...hung });
  await stage.control("twilio", { latencyMs: SLOW_CALL_MS });
  const shoppers = await makeShoppers(stage, count, CHANNELS);
  const dueAtMs = Date.now() + AHEAD_MS;
  await makeReminders(
    stage,
    shoppers.map(({ id }) => ({ subscriberId: id, dueAtMs, channels: CHANNELS })),
  );
  await publish(stage, shoppers);
  const ids = shoppers.map(({ id }) => id);
  const all = 2 * count;
  await until(
    "every call is under way",
    30_000,
    async () => (await countIn(stage, ids, ["sending"])) === all,
  );
  // The claim is a moment ahead of its call.
  await sleep(300);
  stage.killApp();
  const killedAtMs = Date.now();
  await stage.control("resend", { latencyMs: 20, fault: null });
  await stage.control("twilio", { latencyMs: 20 });
  await until(
    "every delivery has ended",
    HEALED_MS,
    async () => (await countIn(stage, ids, ["delivered", "dead"])) === all,
  ).catch((error: unknown) => process.stderr.write(`${String(error)}\n`));
  return figuresOf(stage, ids, killedAtMs);
}

async function countIn(stage: Stage, ids: readonly string[], states: string[]): Promise<number> {
  const [row] = await stage.sql<{ count: number }[]>`select count(*)::int as count from deliveries
    where subscriber_id = any(${ids as string[]}::uuid[]) and state = any(${states}::text[])`;
  return row?.count ?? 0;
}

/** Seconds from the kill: for an email to the answer that counted, for an SMS to its end in the ledger. */
async function figuresOf(stage: Stage, ids: readonly string[], killedAtMs: number): Promise<Figures> {
  const rows = await stage.sql<
    { channel: Channel; reference: string; state: string; finishedAtMs: number | null }[]
  >`select channel, reference, state, epoch_ms(finished_at) as "finishedAtMs" from deliveries
    where subscriber_id = any(${ids as string[]}::uuid[])`;
  const emails = new Set(rows.filter((row) => row.channel === "email").map((row) => row.reference));
  const again = (await stage.calls("resend")).filter(
    (call) => call.at > killedAtMs && call.status === 200 && emails.has(call.key ?? ""),
  );
  const texts = rows.filter((row) => row.channel === "sms");
  const seconds = (atMs: number | null) => (atMs === null ? Number.NaN : (atMs - killedAtMs) / 1000);
  const missing = [...emails].some((key) => !again.some((call) => call.key === key));
  return {
    emailSeconds: missing ? Number.NaN : Math.max(...again.map((call) => seconds(call.at))),
    smsSeconds: Math.max(...texts.map((row) => seconds(row.finishedAtMs))),
    repeats: again.filter((call) => call.repeat).length,
    smsUnknown: texts.filter((row) => row.state === "dead").length,
  };
}
