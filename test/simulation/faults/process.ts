import { sql } from "drizzle-orm";
import { database, rows } from "../../../db/connection";
import type { Activity, Crossing } from "../../support/app-process";
import type { Dice } from "../dice";
import type { Stage } from "../stage";
import { PROVIDERS, type Strike } from "./strike";

const kill: Strike = (stage, dice, atMs) => {
  const downMs = dice.int(500, 20_000);
  stage.at(atMs, () => {
    if (stage.world.app.down) return;
    stage.struck("kill", `for ${downMs} ms`);
    stage.killApp(downMs);
  });
};

/** The step in which a process holds claims: half of what strikes at an effect strikes there. */
export const SENDING = "deliverParcel";

/** Where a claim waits for the instant of its call. */
export const CLAIMED = "waitForSlot";

interface Where {
  effects: readonly Crossing["effect"][];
  moment?: Crossing["moment"];
  count: number;
  /** A function that must be at work. */
  within: string | null;
}

function somewhere(dice: Dice, countMax: number): Pick<Where, "count" | "within"> {
  return dice.chance(0.5)
    ? { within: SENDING, count: dice.int(1, 6) }
    : { within: null, count: dice.int(1, countMax) };
}

function isAtWork(name: string): boolean {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = 60;
  const { stack = "" } = new Error();
  Error.stackTraceLimit = before;
  return stack.includes(name);
}

/** Waits for the n-th effect of a kind after an instant, and does something to the process there. */
export function atCrossing(
  stage: Stage,
  atMs: number,
  where: Where,
  strike: (crossing: Crossing) => void,
): void {
  stage.at(atMs, () => {
    let left = where.count;
    const wait = (crossing: Crossing) => {
      if (!where.effects.includes(crossing.effect)) return;
      if (where.moment !== undefined && crossing.moment !== where.moment) return;
      if (where.within !== null && !isAtWork(where.within)) return;
      left -= 1;
      if (left > 0) return;
      stage.crossings.delete(wait);
      strike(crossing);
    };
    stage.crossings.add(wait);
  });
}

/** Every kind of effect at which something can happen to the process. */
export const EFFECTS: readonly Crossing["effect"][] = ["transaction", "statement", "sleep", "call", "send"];

const killAtCrossing: Strike = (stage, dice, atMs) => {
  const effect = dice.pick(EFFECTS);
  const downMs = dice.int(500, 20_000);
  const where = somewhere(dice, effect === "call" || effect === "send" ? 6 : 60);
  atCrossing(stage, atMs, { effects: [effect], ...where }, ({ moment }) => {
    stage.struck(`kill ${moment} ${effect}`, `for ${downMs} ms`);
    stage.killApp(downMs);
  });
};

const breakConnection: Strike = (stage, dice, atMs) => {
  const effect = dice.pick(["transaction", "statement"] as const);
  atCrossing(stage, atMs, { effects: [effect], ...somewhere(dice, 60) }, breakHere(stage));
};

/** The connection is lost at this effect: before it, or after it took place. */
export function breakHere(stage: Stage): (crossing: Crossing) => void {
  return ({ effect, moment }) => {
    stage.struck(`connection lost ${moment} ${effect}`);
    throw Object.assign(new Error("write CONNECTION_CLOSED 127.0.0.1:5432"), { code: "CONNECTION_CLOSED" });
  };
}

const serialize: Strike = (stage, dice, atMs) => {
  const code = dice.pick(["40001", "40P01"]);
  // The last statement may be the commit, and Postgres does not refuse what it has committed.
  atCrossing(stage, atMs, { effects: ["statement"], moment: "before", ...somewhere(dice, 30) }, () => {
    stage.struck(`sqlstate ${code}`);
    throw Object.assign(new Error("could not serialize access"), { code });
  });
};

/** Holds the process, or one piece of its work, for some time. */
function holdFor(stage: Stage, forMs: number, where: string, only?: Activity): void {
  stage.struck(`stall ${where}`, `for ${forMs} ms`);
  const fromMs = stage.world.nowMs();
  stage.stalls.push({ where, fromMs, untilMs: fromMs + forMs });
  stage.world.clock.setTimer(fromMs + forMs, stage.world.app.stall(only));
}

const stall: Strike = (stage, dice, atMs) => {
  const forMs = dice.chance(0.5) ? dice.int(200, 4_500) : dice.int(4_500, 70_000);
  const hold = (where: string, only?: Activity) => holdFor(stage, forMs, where, only);
  if (dice.chance(0.25)) {
    stage.at(atMs, () => {
      if (!stage.world.app.down) hold("anywhere");
    });
    return;
  }
  const effect = dice.pick(["transaction", "sleep"] as const);
  const where = {
    effects: [effect],
    moment: "after",
    ...somewhere(dice, effect === "sleep" ? 8 : 40),
  } as const;
  // A whole process stands still wherever its work is; one piece of work may oversleep alone.
  atCrossing(stage, atMs, where, () =>
    effect === "sleep" ? hold("after sleep", stage.world.app.present()) : hold("after transaction"),
  );
};

/** Longer than the lease of any channel, and than the wait after it. */
const OUTLIVES_LEASE_MS = 60_000;

/** No lease is over before, so that nobody else calls. */
const SHORTEST_LEASE_MS = 15_000;

/** The other's call takes this long, under every deadline: whoever stood still goes on in the middle of it. */
const LONG_CALL_MS = 4_000;
const LOOK_EACH_MS = 500;

/** What becomes of a delivery whose holder stands still: it waits again, or somebody else calls about it. */
const BECOMES = {
  waiting: sql`select 1 from attempts a join deliveries d on d.id = a.delivery_id and d.attempt_count = a.number
    where a.class = 'crashed' and d.state in ('ready', 'deferred') limit 1`,
  called: sql`select 1 from attempts a join attempts earlier
    on earlier.delivery_id = a.delivery_id and earlier.number = a.number - 1
    where a.settled_at is null and earlier.class = 'crashed' limit 1`,
};

/**
 * One piece of work stands still until what it held waits again, or until another calls about it; after a minute it goes on
 * all the same.
 */
function holdUntil(state: keyof typeof BECOMES, stage: Stage, where: string): void {
  const { world } = stage;
  stage.struck(`stall ${where}`, `until another has it ${state}`);
  const stood = { where, fromMs: world.nowMs(), untilMs: Number.POSITIVE_INFINITY };
  stage.stalls.push(stood);
  const release = world.app.stall(world.app.present());
  const goOn = (how: string) => {
    stood.untilMs = world.nowMs();
    stage.note(`what stood still ${where} goes on${how}`);
    for (const provider of PROVIDERS) world.providers.restoreDefaults(provider);
    release();
  };
  const look = async () => {
    const [taken] = await rows(database(), BECOMES[state]);
    if (taken !== undefined) return goOn(` while another has it ${state}`);
    if (world.nowMs() - stood.fromMs > OUTLIVES_LEASE_MS) return goOn("");
    world.clock.setTimer(world.nowMs() + LOOK_EACH_MS, look);
  };
  world.clock.setTimer(stood.fromMs + SHORTEST_LEASE_MS, () => {
    for (const provider of PROVIDERS) world.providers.control(provider, { latencyMs: LONG_CALL_MS });
    void look();
  });
}

/** A process stands still between a claim and its call until somebody else has the delivery. */
export const stallBeforeCall: Strike = (stage, _dice, atMs) => {
  const where = { effects: ["sleep"], moment: "after", within: CLAIMED, count: 1 } as const;
  atCrossing(stage, atMs, where, () => holdUntil("called", stage, "before call"));
};

/** An answer lies unread until somebody else has the delivery. */
export const stallAfterCall =
  (state: keyof typeof BECOMES): Strike =>
  (stage, _dice, atMs) => {
    const where = { effects: ["call"], moment: "after", within: null, count: 1 } as const;
    atCrossing(stage, atMs, where, () => holdUntil(state, stage, "after call"));
  };

export const PROCESS_STRIKES = { kill, killAtCrossing, breakConnection, serialize, stall };
