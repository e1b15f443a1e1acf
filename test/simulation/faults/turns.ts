import type { Settings } from "../../../standins/providers";
import type { Crossing } from "../../support/app-process";
import { ledgerClockSwings } from "./clocks";
import { EVENT_TROUBLES, troubleWith } from "./engine";
import { AT_CALLS } from "./kinds";
import { atCrossing, breakHere, EFFECTS, stallAfterCall, stallBeforeCall } from "./process";
import { PROVIDERS, type Strike } from "./strike";

const MOMENTS: readonly Crossing["moment"][] = ["before", "after"];

const kills = EFFECTS.flatMap((effect) =>
  MOMENTS.map((moment): Strike => {
    return (stage, dice, atMs) => {
      const downMs = dice.int(500, 8_000);
      atCrossing(stage, atMs, { effects: [effect], moment, count: 1, within: null }, () => {
        stage.struck(`kill ${moment} ${effect}`, `for ${downMs} ms`);
        stage.killApp(downMs);
      });
    };
  }),
);

const breaks = (["transaction", "statement"] as const).flatMap((effect) =>
  MOMENTS.map((moment): Strike => {
    return (stage, _dice, atMs) =>
      atCrossing(stage, atMs, { effects: [effect], moment, count: 1, within: null }, breakHere(stage));
  }),
);

/** Whichever of these providers is called next. */
const atNextCall = (change: Partial<Settings>, providers = PROVIDERS): Strike => {
  return (stage, _dice, atMs) =>
    stage.at(atMs, () => {
      stage.note(`${providers.join(", ")}: ${JSON.stringify(change)}`);
      for (const provider of providers) stage.world.providers.control(provider, { faultCount: 1, ...change });
    });
};

const calls = [
  ...AT_CALLS.flatMap((fault) => MOMENTS.map((faultWhen) => atNextCall({ fault, faultWhen }))),
  ...["refuse", "unauthorized"].map((fault) => atNextCall({ fault })),
  ...["error:21610", "error:21211"].map((fault) => atNextCall({ fault }, ["twilio"])),
  atNextCall({ fault: "throttle", retryAfter: "0" }),
];

/**
 * What chance brings about too seldom, each alone: a story takes the one whose turn it is, at an instant with work. So a
 * few hundred seeds in a row have met everything.
 */
export const TURNS: readonly Strike[] = [...kills, ...breaks, ...calls];

/** For how long what lasts does last. */
const LASTS_MS = 12_000;

/** Every provider for a while. */
const during = (change: Partial<Settings>, kind: string | null): Strike => {
  return (stage, _dice, atMs) => {
    stage.at(atMs, () => {
      if (kind !== null) stage.struck(kind);
      for (const provider of PROVIDERS) stage.world.providers.control(provider, change);
    });
    stage.at(Math.min(atMs + LASTS_MS, stage.length.faultsEndMs), () => {
      for (const provider of PROVIDERS) stage.world.providers.restoreDefaults(provider);
    });
  };
};

const throttle = (retryAfter: string) => atNextCall({ fault: "throttle", retryAfter, retryAfterSeconds: 5 });

/** An answer that is certain, and lies unread until somebody else has taken it for unknown. */
const lateRefusal: Strike = (stage, dice, atMs) => {
  throttle("seconds")(stage, dice, atMs);
  stallAfterCall(stage, dice, atMs);
};

const seldom = [
  ...EVENT_TROUBLES.map(troubleWith),
  ...["absent", "soon", "http-date"].map(throttle),
  during({ ratePerSecond: 0.2, burst: 1 }, null),
  during({ latencyMs: 3_000 }, "provider: slow"),
  ...["error:21610", "error:21211"].map((fault) => atNextCall({ fault }, ["twilio"])),
  atNextCall({ fault: "close", faultWhen: "before" }),
  stallBeforeCall,
  lateRefusal,
  stallBeforeCall,
];

/**
 * What even turns leave out in some two hundred seeds, because it needs more than one call or a call by text message: every
 * other story has one of these as well. The deciding clock steps in few: it takes much of the audit away.
 */
export const SECOND_TURNS: readonly Strike[] = [...seldom, ...seldom, ledgerClockSwings];
