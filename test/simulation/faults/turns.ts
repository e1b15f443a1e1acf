import type { Settings } from "../../../standins/providers";
import type { Crossing } from "../../support/app-process";
import type { Dice } from "../dice";
import type { Stage } from "../stage";
import { planReminder } from "../workload";
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

/**
 * Something by one channel that is due early enough for what follows, which most stories do not have; by push, of whose
 * refusals each is about one device, before email, of whose each is about all. Answers when it is about to be sent.
 */
function planWork(stage: Stage, dice: Dice): number {
  const dueMs = dice.int(12_000, 22_000);
  const channel = (["push", "email", "sms"] as const).find((one) =>
    stage.shoppers.some(({ channels }) => channels.includes(one)),
  );
  const shopper = stage.shoppers.find(({ channels }) => channel !== undefined && channels.includes(channel));
  if (channel === undefined || shopper === undefined) return dueMs;
  const atMs = dueMs - 8_000;
  const wish = { atMs, dueMs, shopper, title: "Held up", channels: [channel] };
  planReminder(stage, { ...wish, expiresAfterSeconds: 86_400, byWall: false });
  return dueMs - 100;
}

/** A claim is held up until another sends. */
const heldClaim: Strike = (stage, dice) => stallBeforeCall(stage, dice, planWork(stage, dice));

/** An answer that is certain, and lies unread until somebody else has taken it for unknown. */
const lateRefusal =
  (state: "waiting" | "called"): Strike =>
  (stage, dice) => {
    const atMs = planWork(stage, dice);
    throttle("seconds")(stage, dice, atMs);
    stallAfterCall(state)(stage, dice, atMs);
  };

/** What needs a piece of work to stand still for long: nothing else goes wrong in its story, which would end that work. */
const held: readonly Strike[] = [heldClaim, lateRefusal("called"), heldClaim, lateRefusal("waiting")];

/** Whether it must be the only trouble of its story. */
export function isAlone(strike: Strike): boolean {
  return held.includes(strike);
}

const seldom = [
  ...EVENT_TROUBLES.map(troubleWith),
  ...["absent", "soon", "http-date"].map(throttle),
  during({ ratePerSecond: 0.2, burst: 1 }, null),
  during({ latencyMs: 3_000 }, "provider: slow"),
  ...["error:21610", "error:21211"].map((fault) => atNextCall({ fault }, ["twilio"])),
  atNextCall({ fault: "close", faultWhen: "before" }),
  ...held,
];

/**
 * What even turns leave out in some two hundred seeds, because it needs more than one call or a call by text message: every
 * other story has one of these as well. The deciding clock steps in few: it takes much of the audit away.
 */
export const SECOND_TURNS: readonly Strike[] = [...seldom, ...seldom, ledgerClockSwings];
