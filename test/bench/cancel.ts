import { setTimeout as sleep } from "node:timers/promises";
import type { Channel } from "../../db/rules/outcome";
import type { Bench } from "./bench";
import { accepted } from "./evidence";
import { type Made, makeReminders, makeShoppers, publish } from "./load";
import { json, type Stage } from "./stage";
import { warmUp } from "./warm-up";

/** Far enough ahead that the engine's own wait opens them, with time to insert the load. */
const AHEAD_MS = 8_000;

/** Cancelling begins before the instant, while the occurrences are still to be opened. */
const BEFORE_DUE_MS = 3_000;

/** After the backlog has drained: longer than a call takes. */
const LAST_CALL_MS = 3_000;

type Answer = { cancelled: { channel: Channel; outcome: string }[] };

/** Reminders are cancelled while their backlog opens and drains: is any sent that was answered "cancelled"? */
export const bench: Bench = {
  question:
    "emails accepted although their reminder was answered as cancelled before, amid a draining backlog",
  floor: "0",
  rates: { email: 100 },
  parameters: (scale) => ({
    ratePerSecond: 100,
    deliveries: Math.round(1500 * scale),
    cancelsPerSecond: 40,
  }),
  targets: { cancelledButSent: { atMost: 0 }, duplicates: { atMost: 0 } },
  async run(stage, { ratePerSecond = 0, deliveries = 0, cancelsPerSecond = 0 }) {
    await stage.control("resend", { ratePerSecond, burst: 10 });
    await warmUp(stage, ["email"]);
    const shoppers = await makeShoppers(stage, deliveries, ["email"]);
    const dueAtMs = Math.ceil((Date.now() + AHEAD_MS) / 1000) * 1000;
    const made = await makeReminders(
      stage,
      shoppers.map(({ id }) => ({ subscriberId: id, dueAtMs, channels: ["email"] as const })),
    );
    await publish(stage, shoppers);
    const seconds = BEFORE_DUE_MS / 1000 + deliveries / ratePerSecond;
    const victims = made.slice(0, Math.min(made.length, Math.round(seconds * cancelsPerSecond)));
    await sleep(dueAtMs - BEFORE_DUE_MS - Date.now());
    const outcomes = await Promise.all(
      victims.map(async (victim, index) => {
        await sleep((index * 1000) / cancelsPerSecond);
        return cancel(stage, victim);
      }),
    );
    await sleep(LAST_CALL_MS);
    const sent = new Set(accepted(await stage.calls("resend")).map((call) => call.key));
    const references = await referencesOf(stage, victims);
    const wasSent = (index: number) => sent.has(references.get(victims[index]?.occurrenceId ?? "") ?? "");
    const count = (outcome: string) => outcomes.filter((given) => given === outcome).length;
    return {
      cancelledButSent: outcomes.filter((given, index) => given === "cancelled" && wasSent(index)).length,
      cancelled: count("cancelled"),
      tooLate: count("too_late"),
      alreadySent: count("already_sent"),
      tooLateYetNotSent: outcomes.filter((given, index) => given === "too_late" && !wasSent(index)).length,
      duplicates: (await stage.summary("resend")).duplicates,
    };
  },
};

async function cancel(stage: Stage, { id }: Made): Promise<string> {
  const answer = await json<Answer>(`${stage.app}/api/v1/reminders/${id}`, {
    method: "DELETE",
    headers: { authorization: `Bearer ${stage.apiKey}` },
  });
  return answer.cancelled[0]?.outcome ?? "";
}

/** The name of each occurrence's delivery at the provider, where it came to one. */
async function referencesOf(stage: Stage, made: readonly Made[]): Promise<Map<string, string>> {
  const ids = made.map(({ occurrenceId }) => occurrenceId);
  const rows = await stage.sql<{ id: string; reference: string }[]>`
    select occurrence_id as id, reference from deliveries where occurrence_id = any(${ids}::uuid[])`;
  return new Map(rows.map((row) => [row.id, row.reference]));
}
