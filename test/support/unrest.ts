import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Effects of the app within a second of virtual time: more than twice as many as on the busiest day of any test or story. */
const MOST_PER_SECOND = 6_000;

/** The last of it, of which it is told what it was and where. */
const TOLD = 400;

/** How many different ones are named. */
const NAMED = 8;

const SECOND_MS = 1_000;

/** A world that is busy without end: it would never come to rest, and time would never move on. */
export class LiveLock extends Error {}

/**
 * Counts what happens while virtual time hardly moves. Too much of it is a live-lock: something calls itself up again and
 * again. Said within seconds, with what repeats, instead of a run that hangs and fills the memory.
 */
export class Unrest {
  private sinceMs = Number.NEGATIVE_INFINITY;
  private nowMs = Number.NEGATIVE_INFINITY;
  private count = 0;
  private readonly last = new Map<string, number>();
  private found: LiveLock | null = null;

  constructor(private readonly mostPerSecond = MOST_PER_SECOND) {}

  /** The clock reads this now. */
  at(nowMs: number): void {
    this.nowMs = nowMs;
    if (nowMs - this.sinceMs < SECOND_MS) return;
    this.sinceMs = nowMs;
    this.count = 0;
    this.last.clear();
  }

  /** Something happens. Answers whether that is too much. */
  note(what: string): boolean {
    this.count += 1;
    if (this.count > this.mostPerSecond - TOLD) {
      const told = `${what}${place()}`;
      this.last.set(told, (this.last.get(told) ?? 0) + 1);
    }
    if (this.count < this.mostPerSecond) return false;
    this.found ??= new LiveLock(this.tell());
    return true;
  }

  /** Throws a `LiveLock` when there was too much. */
  check(): void {
    if (this.found !== null) throw this.found;
  }

  private tell(): string {
    const time = (ms: number) => (Number.isFinite(ms) ? new Date(ms).toISOString() : "its start");
    const most = [...this.last].toSorted(([, one], [, other]) => other - one).slice(0, NAMED);
    return [
      `The world does not come to rest: ${this.count} effects since ${time(this.sinceMs)}, and its clock reads ${time(this.nowMs)}.`,
      `Of the last ${TOLD} effects:`,
      ...most.map(([what, times]) => `  ${String(times).padStart(4)}  ${what}`),
    ].join("\n");
  }
}

/** Effects are made in these for everybody. */
const EVERYBODYS = /^db\/(effects|connection)\.ts/;

/** The place in the product that is nearest to an effect, as ` at db/ledger/begin.ts:12`; empty when there is none. */
function place(): string {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = 40;
  const { stack = "" } = new Error();
  Error.stackTraceLimit = before;
  const places = stack.split(ROOT).slice(1);
  const nearest = places.find((text) => /^(db|inngest|app)\//.test(text) && !EVERYBODYS.test(text));
  return nearest === undefined
    ? ""
    : ` at ${nearest
        .match(/^[^?:]+|:\d+/g)
        ?.slice(0, 2)
        .join("")}`;
}
