import type { Settings } from "../../../standins/providers";
import type { Crossing } from "../../support/app-process";
import { AT_CALLS } from "./kinds";
import { atCrossing, breakHere, EFFECTS } from "./process";
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
