import { sql } from "drizzle-orm";
import { database, rows } from "../../db/connection";
import { factsAbout, readEvidence, type Violation } from "./evidence";
import type { Stage } from "./stage";

export type Found = Violation & { facts: string[] };

/** Far enough ahead that the engine carries the wait. */
const PROBE_AHEAD_MS = 20_000;

/** On a quiet day a call leaves within milliseconds; a cut rate may still ask for one slot's wait. */
const BASELINE_MS = 2_000;

/** When whatever was late is done, a new reminder is as punctual on every channel as on a day without trouble. */
export async function probePunctuality(stage: Stage): Promise<Found[]> {
  const { world } = stage;
  stage.note("all is over; somebody sets one more");
  const { id } = await world.subscriber("afterwards");
  const inMs = PROBE_AHEAD_MS + world.clocks.ledgerAheadMs;
  const reminder = await world.remind(id, { inMs, channels: ["email", "sms", "push"] });
  const dueAtMs = Date.parse(reminder.dueAt) - world.clocks.ledgerAheadMs;
  // A gate that still stands is the provider's wish, and holds up whatever comes before it ends.
  const gates = await rows<{ channel: string; untilMs: number | null }>(
    database(),
    sql`select p.channel, max(epoch_ms(greatest(m.blocked_until, p.parked_until, p.circuit_probe_at))) as "untilMs"
      from partitions p join meters m on m.key = p.key group by p.channel`,
  );
  const blockedUntilMs = (channel: string) => {
    const untilMs = gates.find((gate) => gate.channel === channel)?.untilMs ?? Number.NEGATIVE_INFINITY;
    return untilMs - world.clocks.ledgerAheadMs;
  };
  await world.advance(PROBE_AHEAD_MS + BASELINE_MS);
  const evidence = await readEvidence(stage);
  const mine = evidence.deliveries.filter((row) => row.reminderId === reminder.id);
  const found: Found[] = [];
  for (const channel of ["email", "sms", "push"]) {
    const row = mine.find((delivery) => delivery.channel === channel);
    const key = row?.key ?? `${reminder.id} by ${channel}`;
    // The law has hours for text messages: what is held until the morning is not late.
    if (row?.state === "scheduled" && (row.nextEligibleAtMs ?? 0) > world.ledgerNowMs()) continue;
    const call = evidence.calls.find((each) => each.key === row?.reference);
    if (call !== undefined ? call.at - dueAtMs <= BASELINE_MS : blockedUntilMs(channel) > dueAtMs) continue;
    const rule = `lateness is not back at its baseline: ${call === undefined ? "no call" : `${call.at - dueAtMs} ms`}`;
    found.push({ promise: "P5", rule, key, facts: factsAbout(evidence, key) });
  }
  return found;
}
