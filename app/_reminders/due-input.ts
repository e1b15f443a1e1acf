import {
  CLOCK_SKEW_TOLERANCE_MS,
  FARTHEST_DUE_MS,
  resolveDueAt,
  resolveWallTime,
} from "../../db/rules/due-time";
import { checkTimeZone, formatWhen } from "../../db/rules/time-zone";

/** A date, a time and a zone as a form has them. `choice` is a preset's wall time, `custom`, or `typed` for words. */
export interface WhenInput {
  choice: string;
  date: string;
  time: string;
  timeZone: string;
}

export type WhenRead =
  | { ok: true; local: string; timeZone: string; atMs: number }
  | { ok: false; error: string };

const WALL = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?$/;

/** The wall time that the fields name, or null when they name none. A preset goes before the fields below it. */
export function wallTimeOfFields({ choice, date, time }: WhenInput): string | null {
  const local = choice === "" || choice === "custom" || choice === "typed" ? `${date}T${time}` : choice;
  return WALL.test(local) ? local : null;
}

/**
 * Reads when something is due, in words for the person who typed it. The same in the browser, for the line below the
 * fields, and on the server, which decides again with the ledger's clock.
 */
export function readWhen(input: WhenInput, nowMs: number): WhenRead {
  const zone = checkTimeZone("timeZone", input.timeZone);
  if (!zone.ok) return { ok: false, error: "Choose a time zone from the list." };
  const local = wallTimeOfFields(input);
  if (local === null) return { ok: false, error: "Choose a date and a time." };
  const timeZone = zone.value;
  const due = resolveDueAt({ local, timeZone }, { nowMs });
  if (due.ok) return { ok: true, local, timeZone, atMs: due.value.dueAtMs };
  return { ok: false, error: whyNot(local, timeZone, nowMs) };
}

/** The reasons of `resolveDueAt`, with times as people read them. */
function whyNot(local: string, timeZone: string, nowMs: number): string {
  let wall: ReturnType<typeof resolveWallTime>;
  try {
    wall = resolveWallTime(local, timeZone);
  } catch {
    return "This date does not exist.";
  }
  if (wall.resolution === "gap_shifted") {
    const next = formatWhen(wall.dueAtMs, timeZone, "en");
    return `This time does not exist: the clocks go forward and skip it. The hour after it is ${next}.`;
  }
  if (wall.dueAtMs < nowMs - CLOCK_SKEW_TOLERANCE_MS) {
    return `This has passed already; it is ${formatWhen(nowMs, timeZone, "en")} now. Choose a later time.`;
  }
  if (wall.dueAtMs > nowMs + FARTHEST_DUE_MS) return "Choose a time within the next five years.";
  return "Choose another date and time.";
}
