import type { CancelledChannel } from "../../db/reminders/cancel";
import type { Channel } from "../../db/rules/outcome";
import type { Crossing } from "../support/app-process";
import { World } from "../support/world";
import type { Dice } from "./dice";

/** A shopper of the story, as the story knows them. */
export interface Shopper {
  id: string;
  externalId: string;
  channels: Channel[];
  /** Of each push device, the endpoint. */
  endpoints: string[];
  deviceIds: string[];
  emailId: string | null;
  timeZone: string;
  /** Set before anything is due, and never changed: local `HH:MM`. */
  quiet: { start: string; end: string } | null;
  /** When somebody first asked to erase them, and when that was confirmed; infinity: not yet. */
  eraseAskedAtMs: number;
  erasedAtMs: number;
}

/** A reminder that the app said it has, with what the app said about it later. */
export interface Told {
  id: string;
  shopper: Shopper;
  createdAtMs: number;
  /** The instant that the app named. */
  dueAtMs: number;
  /** What was asked for, if it was a time on the wall. */
  wall: { local: string; timeZone: string } | null;
  /** Somebody has asked for another time since, whatever became of it. */
  retimed: boolean;
  /** It comes again by a rule: an answer is about one element. */
  repeats: boolean;
  edits: { atMs: number; version: number }[];
  /** Times in which nothing of it may begin: it is done, or paused. */
  stops: { what: "done" | "pause"; fromMs: number; untilMs: number }[];
  /** One channel, then the next, so many minutes later; null: all at once, or nobody knows any more. */
  inOrder: { channels: readonly Channel[]; stepMs: number } | null;
  cancelled: { atMs: number; channels: CancelledChannel[] } | null;
}

/** An opt-out that the app confirmed, until it was taken back or something about it became unknown. */
export interface OptOut {
  subscriberId: string;
  channel: Channel;
  fromMs: number;
  untilMs: number;
}

/** A shopper follows a parcel, as far as the app has confirmed it; infinity: not yet. */
export interface Following {
  shopper: Shopper;
  parcel: string;
  channels: Channel[];
  policy: "every" | "latest";
  fromMs: number;
  leftAskedAtMs: number;
  leftAtMs: number;
}

/** A version of a parcel that the app said it announces. */
export interface Announced {
  parcel: string;
  version: number;
  askedAtMs: number;
  atMs: number;
}

/** A time in which somebody wants nothing at all. */
export interface PauseOfAll {
  subscriberId: string;
  fromMs: number;
  untilMs: number;
}

/** What a lane was asked to give up, from the asking until it must be over. */
export interface PolicyAsked {
  partition: string;
  lane: string;
  policy: "expire_oldest" | "coalesce" | "other_channel";
  windowMs: number;
  fromMs: number;
  untilMs: number;
}

/** A time in which the process stood still, and at which kind of effect. */
export interface Stall {
  where: string;
  fromMs: number;
  untilMs: number;
}

/** What a clock on the wall shows, as `YYYY-MM-DDTHH:MM`. */
export function wallTime(atMs: number, timeZone: string): string {
  const text = new Intl.DateTimeFormat("sv-SE", {
    timeZone,
    dateStyle: "short",
    timeStyle: "short",
  }).format(atMs);
  return text.replace(" ", "T");
}

/** How long a story is, and how much happens in it. */
export interface Length {
  /** People act until then; what they set may be due later. */
  activeMs: number;
  /** When active faults end and the rest of the story is recovery. */
  faultsEndMs: number;
  /** When the ledger is looked at while people and faults are still active. */
  looksAtMs: readonly number[];
  shoppersMax: number;
  remindersMax: number;
  changesMax: number;
  faultsMax: number;
}

/**
 * Most stories are short: what goes wrong goes wrong within a lease and a sweep, and more of them find more than longer
 * ones. A long one lets gates, recovering rates and several sweeps follow each other.
 */
const SHORT: Length = {
  activeMs: 45_000,
  faultsEndMs: 65_000,
  looksAtMs: [40_000],
  shoppersMax: 3,
  remindersMax: 8,
  changesMax: 4,
  faultsMax: 5,
};
const LONG: Length = {
  activeMs: 6 * 60_000,
  faultsEndMs: 7 * 60_000,
  looksAtMs: [150_000, 300_000],
  shoppersMax: 6,
  remindersMax: 40,
  changesMax: 14,
  faultsMax: 14,
};
const LONG_SHARE = 0.04;

/** A short one in which an import waits for longer than the shortest time after which a policy for overload acts. */
const OVERLOADED: Length = { ...SHORT, faultsEndMs: 150_000, looksAtMs: [40_000, 110_000] };
const OVERLOADED_SHARE = 0.1;

/** One simulated story: the world, who is in it, what was promised to whom, and what happened. */
export class Stage {
  readonly shoppers: Shopper[] = [];
  readonly told: Told[] = [];
  readonly optOuts: OptOut[] = [];
  readonly stalls: Stall[] = [];
  readonly followings: Following[] = [];
  readonly announced: Announced[] = [];
  readonly pauses: PauseOfAll[] = [];
  readonly policies: PolicyAsked[] = [];
  /** When there is work, in milliseconds of the story: what goes wrong then meets it. */
  readonly busyAtMs: number[] = [];
  /** What may strike at the next effect of the app, in the order in which it began to wait for one. */
  readonly crossings = new Set<(crossing: Crossing) => void>();
  readonly faults: Record<string, number> = {};
  readonly lines: string[] = [];
  /** The clock that decides stepped: what depends on how time went cannot be judged. */
  ledgerClockStepped = false;
  readonly startMs: number;
  readonly length: Length;
  /** An import is more than a provider or an operator lets through for a while. */
  readonly isOverloaded: boolean;

  private constructor(
    readonly world: World,
    readonly dice: Dice,
  ) {
    this.startMs = world.nowMs();
    world.app.onCrossing = (crossing) => {
      for (const strike of [...this.crossings]) if (!world.app.present()?.dead) strike(crossing);
    };
    const isLong = dice.fork("length").chance(LONG_SHARE);
    this.isOverloaded = !isLong && dice.fork("overload").chance(OVERLOADED_SHARE);
    this.length = isLong ? LONG : this.isOverloaded ? OVERLOADED : SHORT;
  }

  static async open(dice: Dice, startMs: number): Promise<Stage> {
    const ids = dice.fork("ids");
    const engine = dice.fork("chance");
    const world = await World.start(startMs, { random: engine.random, newId: () => ids.newId() });
    return new Stage(world, dice);
  }

  /** Milliseconds since the story began. */
  sinceMs(): number {
    return this.world.nowMs() - this.startMs;
  }

  /** Writes a line of the story. */
  note(line: string): void {
    this.lines.push(`${(this.sinceMs() / 1000).toFixed(3).padStart(9)} s  ${line}`);
  }

  /** Counts a fault that took place. */
  struck(kind: string, line = ""): void {
    this.faults[kind] = (this.faults[kind] ?? 0) + 1;
    this.note(`fault: ${kind}${line === "" ? "" : ` ${line}`}`);
  }

  /** Does something at an instant of the story, in the order of time with everything else. */
  at(ms: number, run: () => void): void {
    this.world.clock.setTimer(this.startMs + ms, run);
  }

  /** Half of the time an instant soon after something was due, while some of it still waits; else null. */
  soonAfterWork(dice: Dice): number | null {
    const busyAtMs = this.busyAtMs.filter((atMs) => atMs < this.length.activeMs);
    if (busyAtMs.length === 0 || dice.chance(0.5)) return null;
    return dice.pick(busyAtMs) + dice.int(20, 5_000);
  }

  /** Lets somebody ask the app for something at an instant. A broken connection leaves them not knowing. */
  ask<T>(ms: number, what: string, work: () => Promise<T>): void {
    this.at(ms, () => {
      this.world.app.act(work).then(
        () => this.note(what),
        (error: unknown) =>
          this.note(`${what}: no answer (${error instanceof Error ? error.message : error})`),
      );
    });
  }

  /** kill -9 of the app, and its start some seconds later. */
  killApp(downMs: number): void {
    if (this.world.app.down) return;
    this.world.killApp();
    this.world.clock.setTimer(this.world.nowMs() + downMs, () => this.startApp());
  }

  /** Starts a new process of the app; it sweeps first. */
  startApp(): void {
    if (!this.world.app.down) return;
    this.world.app.down = false;
    this.note("the app starts");
    void this.world.restartApp().catch(() => this.note("the first sweep did not end"));
  }
}
