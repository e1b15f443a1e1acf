import {
  CLOCK_SKEW_TOLERANCE_MS,
  FARTHEST_DUE_MS,
  resolveDueAt,
  resolveWallTime,
} from "../../db/rules/due-time";
import { fill, type Speech, type Words } from "../../db/rules/speech";
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
export function readWhen(input: WhenInput, nowMs: number, language: Speech<"when">): WhenRead {
  const { when } = language.words;
  const zone = checkTimeZone("timeZone", input.timeZone);
  if (!zone.ok) return { ok: false, error: when.chooseZone };
  const local = wallTimeOfFields(input);
  if (local === null) return { ok: false, error: when.chooseTime };
  const timeZone = zone.value;
  const due = resolveDueAt({ local, timeZone }, { nowMs });
  if (due.ok) return { ok: true, local, timeZone, atMs: due.value.dueAtMs };
  return { ok: false, error: whyNot(local, timeZone, nowMs, language) };
}

/** Typed words that were not understood, with some that would be. */
export function unclear(typed: string, words: Words["when"]): string {
  const { examples } = words;
  return typed.trim() === "" ? examples : fill(words.unclear, { typed: typed.trim(), examples });
}

/** The reasons of `resolveDueAt`, with times as people read them. */
function whyNot(local: string, timeZone: string, nowMs: number, { tag, words }: Speech<"when">): string {
  let wall: ReturnType<typeof resolveWallTime>;
  try {
    wall = resolveWallTime(local, timeZone);
  } catch {
    return words.when.noDate;
  }
  if (wall.resolution === "gap_shifted") {
    return fill(words.when.skipped, { when: formatWhen(wall.dueAtMs, timeZone, tag) });
  }
  if (wall.dueAtMs < nowMs - CLOCK_SKEW_TOLERANCE_MS) {
    return fill(words.when.passed, { now: formatWhen(nowMs, timeZone, tag) });
  }
  if (wall.dueAtMs > nowMs + FARTHEST_DUE_MS) return words.when.tooFar;
  return words.when.another;
}
