import type { Channel, Lane } from "./outcome";
import { type QuietHours, quietUntilMs } from "./quiet-hours";
import { quietAround, smsZones } from "./sms-hours";

/** What of a subscriber and a reminder may hold a delivery. Hours are wall times `HH:MM`. */
export interface HoldFacts {
  channel: Channel;
  lane: Lane;
  timeZone: string;
  quietFrom: string | null;
  quietUntil: string | null;
  /** The subscriber wants this reminder in quiet hours too. */
  throughQuiet: boolean;
  smsFrom: string | null;
  smsUntil: string | null;
  /** Where it goes: tells the zone of a number's country. Null when there is no destination. */
  address: string | null;
  /** Everything is paused until then, in epoch milliseconds. */
  awayUntilMs: number | null;
}

export type HoldReason = "paused" | "quiet_hours" | "sms_hours";

export interface Hold {
  untilMs: number;
  /** What holds it last, which is what its owner is told. */
  reason: HoldReason;
}

/** Every hold may lead into another; a day has room for a few of each kind. */
const HOLDS_MAX = 12;

/**
 * Until when a delivery that would leave at `atMs` is held, and by what; null when nothing holds it. Holds keep, they
 * never drop: what is held too long ends at its expiry, with that reason. `urgent` passes.
 */
export function holdAt(facts: HoldFacts, atMs: number): Hold | null {
  if (facts.lane === "urgent") return null;
  let hold: Hold | null = null;
  for (let count = 0; count < HOLDS_MAX; count += 1) {
    const next = nextHold(facts, hold?.untilMs ?? atMs);
    if (next === null) break;
    hold = next;
  }
  return hold;
}

function nextHold(facts: HoldFacts, atMs: number): Hold | null {
  if (facts.awayUntilMs !== null && facts.awayUntilMs > atMs)
    return { untilMs: facts.awayUntilMs, reason: "paused" };
  const quiet = facts.throughQuiet ? null : hoursOf(facts.quietFrom, facts.quietUntil);
  const quietEndMs =
    quiet === null ? null : quietUntilMs({ nowMs: atMs, timeZone: facts.timeZone, ...quiet });
  if (quietEndMs !== null) return { untilMs: quietEndMs, reason: "quiet_hours" };
  const allowed = facts.channel === "sms" ? hoursOf(facts.smsFrom, facts.smsUntil) : null;
  if (allowed === null || facts.address === null) return null;
  const outside = quietAround({ from: allowed.start, until: allowed.end });
  const ends = smsZones(facts.address, facts.timeZone).flatMap((timeZone) => {
    const endMs = quietUntilMs({ nowMs: atMs, timeZone, ...outside });
    return endMs === null ? [] : [endMs];
  });
  return ends.length === 0 ? null : { untilMs: Math.max(...ends), reason: "sms_hours" };
}

function hoursOf(start: string | null, end: string | null): QuietHours | null {
  return start === null || end === null ? null : { start, end };
}
