import type { ProviderName, Settings } from "../../standins/providers";
import type { Activity, Crossing } from "../support/app-process";
import type { Dice } from "./dice";
import type { Stage } from "./stage";

const PROVIDERS: readonly ProviderName[] = ["resend", "twilio", "push"];

/** What a Retry-After looks like in the wild, usable or not. */
const RETRY_AFTERS = [
  "seconds",
  "seconds",
  "http-date",
  "absent",
  "soon",
  "60s",
  "",
  "-3",
  "0",
  "1e3",
  "7, 12",
];

type Strike = (stage: Stage, dice: Dice, atMs: number) => void;

/**
 * Plans what goes wrong. A day has few kinds of trouble and then often the same: faults that come together in ever other
 * company, and again and again, find more than a little of everything each day.
 */
export function planFaults(stage: Stage): void {
  const dice = stage.dice.fork("faults");
  const kinds = STRIKES.filter(() => dice.chance(0.3));
  if (kinds.length === 0) kinds.push(dice.pick(STRIKES));
  const { faultsMax, faultsEndMs } = stage.length;
  const count = dice.chance(0.05) ? 0 : dice.int(1, faultsMax);
  for (let number = 0; number < count; number += 1) {
    dice.pick(kinds)(stage, dice.fork(String(number)), dice.int(3_000, faultsEndMs - 10_000));
  }
}

/** Takes every fault away and starts what is down: from here on the story must come to a good end. */
export function endFaults(stage: Stage): void {
  const { world } = stage;
  stage.note("faults end");
  world.app.onCrossing = null;
  world.engineDown = false;
  Object.assign(world.engine.faults, {
    refuseEvents: false,
    loseEventAcks: 0,
    duplicateEvents: 0,
    delayEventsMs: 0,
    dropResponses: 0,
    onEvent: null,
    onResponse: null,
  });
  world.engine.faults.thaw();
  for (const provider of PROVIDERS) world.providers.restoreDefaults(provider);
  stage.startApp();
}

const kill: Strike = (stage, dice, atMs) => {
  const downMs = dice.int(500, 20_000);
  stage.at(atMs, () => {
    if (stage.world.app.down) return;
    stage.struck("kill", `for ${downMs} ms`);
    stage.killApp(downMs);
  });
};

/** The step in which a process holds claims: half of what strikes at an effect strikes there. */
const SENDING = "deliverParcel";

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
function atCrossing(stage: Stage, atMs: number, where: Where, strike: (crossing: Crossing) => void): void {
  stage.at(atMs, () => {
    let left = where.count;
    stage.world.app.onCrossing = (crossing) => {
      if (!where.effects.includes(crossing.effect)) return;
      if (where.moment !== undefined && crossing.moment !== where.moment) return;
      if (where.within !== null && !isAtWork(where.within)) return;
      left -= 1;
      if (left > 0) return;
      stage.world.app.onCrossing = null;
      strike(crossing);
    };
  });
}

const EFFECTS: readonly Crossing["effect"][] = ["transaction", "statement", "sleep", "call", "send"];

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
  atCrossing(stage, atMs, { effects: [effect], ...somewhere(dice, 60) }, ({ moment }) => {
    stage.struck(`connection lost ${moment} ${effect}`);
    throw Object.assign(new Error("write CONNECTION_CLOSED 127.0.0.1:5432"), { code: "CONNECTION_CLOSED" });
  });
};

const serialize: Strike = (stage, dice, atMs) => {
  const code = dice.pick(["40001", "40P01"]);
  // The last statement may be the commit, and Postgres does not refuse what it has committed.
  atCrossing(stage, atMs, { effects: ["statement"], moment: "before", ...somewhere(dice, 30) }, () => {
    stage.struck(`sqlstate ${code}`);
    throw Object.assign(new Error("could not serialize access"), { code });
  });
};

const stall: Strike = (stage, dice, atMs) => {
  const forMs = dice.chance(0.5) ? dice.int(200, 4_500) : dice.int(4_500, 70_000);
  const hold = (where: string, only?: Activity) => {
    stage.struck(`stall ${where}`, `for ${forMs} ms`);
    const fromMs = stage.world.nowMs();
    stage.stalls.push({ where, fromMs, untilMs: fromMs + forMs });
    stage.world.clock.setTimer(fromMs + forMs, stage.world.app.stall(only));
  };
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

const forget: Strike = (stage, dice, atMs) => {
  const downMs = dice.int(0, 30_000);
  const { world } = stage;
  stage.at(atMs, () => {
    stage.struck("engine forgets", `and is away for ${downMs} ms`);
    world.engine.forgetEverything();
    world.engineDown = true;
    const comeBack = () => {
      world.engineDown = false;
      // A dev server asks its apps every few seconds until one answers.
      void world.resync().then((synced) => {
        if (!synced) world.clock.setTimer(world.nowMs() + 5_000, comeBack);
      });
    };
    world.clock.setTimer(world.nowMs() + downMs, comeBack);
  });
};

const troubleEvents: Strike = (stage, dice, atMs) => {
  const { faults } = stage.world.engine;
  const kind = dice.pick([
    "refuse",
    "lose-acks",
    "duplicate",
    "delay",
    "reorder",
    "drop-answers",
    "freeze",
  ] as const);
  const forMs = dice.int(1_000, 45_000);
  const count = dice.int(1, 6);
  const during = (start: () => void, end: () => void) => {
    stage.at(atMs, () => {
      stage.struck(`engine: ${kind}`, `for ${forMs} ms`);
      start();
    });
    stage.at(Math.min(atMs + forMs, stage.length.faultsEndMs), end);
  };
  const set = (change: Partial<typeof faults>) => () => void Object.assign(faults, change);
  switch (kind) {
    case "refuse":
      return during(set({ refuseEvents: true }), set({ refuseEvents: false }));
    case "lose-acks":
      return during(set({ loseEventAcks: count }), set({}));
    case "duplicate":
      return during(set({ duplicateEvents: count }), set({}));
    case "delay":
      return during(set({ delayEventsMs: dice.int(200, 20_000) }), set({ delayEventsMs: 0 }));
    case "reorder":
      return during(
        set({ onEvent: () => Array.from({ length: dice.int(1, 3) }, () => dice.int(0, 8_000)) }),
        set({ onEvent: null }),
      );
    case "drop-answers":
      return during(set({ dropResponses: count }), set({}));
    case "freeze":
      return during(
        () => faults.freeze(),
        () => faults.thaw(),
      );
  }
};

/** A limit that sinks while there is work: the one trouble that is certain to come. */
const throttleEverything: Strike = (stage, dice, atMs) => {
  const provider = dice.pick(PROVIDERS);
  const named = { retryAfter: dice.pick(RETRY_AFTERS), retryAfterSeconds: dice.int(1, 40) };
  const change: Partial<Settings> = dice.chance(0.5)
    ? { ...named, fault: "throttle", faultCount: dice.int(1, 12) }
    : { ...named, ratePerSecond: dice.pick([0.2, 0.5, 1, 2]), burst: 1 };
  stage.at(atMs, () => {
    stage.note(`${provider}: ${JSON.stringify(change)}`);
    stage.world.providers.control(provider, change);
  });
  const endMs = Math.min(atMs + dice.int(5_000, 90_000), stage.length.faultsEndMs);
  stage.at(endMs, () => stage.world.providers.restoreDefaults(provider));
};

const troubleProvider: Strike = (stage, dice, atMs) => {
  const provider = dice.pick(PROVIDERS);
  const change = providerTrouble(stage, dice, provider);
  const forMs = dice.int(2_000, 60_000);
  stage.at(atMs, () => {
    stage.note(`${provider}: ${JSON.stringify(change)}`);
    stage.world.providers.control(provider, change);
  });
  stage.at(Math.min(atMs + forMs, stage.length.faultsEndMs), () => stage.world.providers.restoreDefaults(provider));
};

function providerTrouble(stage: Stage, dice: Dice, provider: ProviderName): Partial<Settings> {
  const named = {
    retryAfter: dice.pick(RETRY_AFTERS),
    retryAfterSeconds: dice.chance(0.1) ? dice.int(60, 400) : dice.int(1, 30),
  };
  const faultCount = dice.int(1, 6);
  const kind = dice.int(0, 9);
  if (kind === 4) return { latencyMs: dice.int(200, 12_000) };
  if (kind === 5 && dice.chance(0.5)) return { fault: dice.pick(["quota", "unauthorized"]), faultCount: 1 };
  if (kind === 6) {
    const deviceIds = stage.shoppers.flatMap((shopper) => shopper.deviceIds);
    if (provider === "push" && deviceIds.length > 0) return { fault: "gone", faultTo: dice.pick(deviceIds) };
    if (provider === "twilio") return { fault: dice.pick(["error:21610", "error:21211"]), faultCount: 1 };
  }
  return {
    ...named,
    fault: dice.pick([
      "hang",
      "reset",
      "close",
      "truncate",
      "refuse",
      "html-502",
      "json-500",
      "null-500",
      "html-200",
    ]),
    faultWhen: dice.pick(["before", "after"] as const),
    faultCount,
  };
}

const STRIKES: readonly Strike[] = [
  kill,
  killAtCrossing,
  breakConnection,
  serialize,
  stall,
  forget,
  troubleEvents,
  troubleProvider,
  throttleEverything,
];
