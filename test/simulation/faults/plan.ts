import type { Dice } from "../dice";
import type { Stage } from "../stage";
import { CLOCK_STRIKES } from "./clocks";
import { ENGINE_STRIKES } from "./engine";
import { PROCESS_STRIKES } from "./process";
import { PROVIDER_STRIKES } from "./provider";
import { PROVIDERS, type Strike } from "./strike";
import { isAlone, SECOND_TURNS, TURNS } from "./turns";

/** Everything that can go wrong. A new kind is one more entry; its name gives it dice of its own. */
const STRIKES: Record<string, Strike> = {
  ...PROCESS_STRIKES,
  ...ENGINE_STRIKES,
  ...PROVIDER_STRIKES,
  ...CLOCK_STRIKES,
};

/** How likely a kind belongs to a story's kinds; a step of the deciding clock takes much of the audit away. */
const SHARES: Record<string, number> = { ledgerClock: 0.05 };
const SHARE = 0.25;

/**
 * Plans what goes wrong. A day has few kinds of trouble and then often the same: faults that come together in ever other
 * company, and again and again, find more than a little of everything each day.
 */
export function planFaults(stage: Stage, seed: number): void {
  const dice = stage.dice.fork("faults");
  const second = dice.fork("second turn");
  const seldom = seed % 2 === 0 ? SECOND_TURNS[(seed / 2) % SECOND_TURNS.length] : undefined;
  if (seldom !== undefined && isAlone(seldom)) {
    seldom(stage, second, 0);
    return;
  }
  const kinds = chosenKinds(dice);
  const { faultsMax, faultsEndMs } = stage.length;
  const count = dice.chance(0.05) ? 0 : dice.int(1, faultsMax);
  for (let number = 0; number < count; number += 1) {
    const strike = dice.pick(kinds);
    const anyMs = dice.int(3_000, faultsEndMs - 10_000);
    strike(stage, dice.fork(String(number)), nearWork(stage, dice.fork(`${number} near`)) ?? anyMs);
  }
  const turn = dice.fork("turn");
  if (count > 0) TURNS[seed % TURNS.length]?.(stage, turn, nearWork(stage, turn) ?? turn.int(3_000, 20_000));
  if (count > 0) seldom?.(stage, second, rightBeforeWork(stage, second));
}

/** Right before something is due, so that it meets a call; half of them early in the story, while most is to come. */
function rightBeforeWork(stage: Stage, dice: Dice): number {
  const latestMs = stage.length.activeMs;
  const busyAtMs = stage.busyAtMs.filter((atMs) => atMs > 3_000 && atMs < latestMs).toSorted((a, b) => a - b);
  if (busyAtMs.length === 0) return dice.int(3_000, 10_000);
  return Math.max(
    1_000,
    (dice.chance(0.5) ? (busyAtMs[0] ?? 0) : dice.pick(busyAtMs)) - dice.int(100, 2_000),
  );
}

/** Half of what goes wrong goes wrong when something is due: a fault that meets nothing shows nothing. */
function nearWork(stage: Stage, dice: Dice): number | null {
  const latestMs = stage.length.faultsEndMs - 10_000;
  const busyAtMs = stage.busyAtMs.filter((atMs) => atMs > 3_000 && atMs < latestMs);
  if (busyAtMs.length === 0 || dice.chance(0.5)) return null;
  return dice.pick(busyAtMs) - dice.int(0, 3_000);
}

function chosenKinds(dice: Dice): Strike[] {
  const kinds = Object.entries(STRIKES).filter(([name]) => dice.fork(name).chance(SHARES[name] ?? SHARE));
  return kinds.length === 0 ? [PROCESS_STRIKES.kill] : kinds.map(([, strike]) => strike);
}

/** Takes every fault away and starts what is down: from here on the story must come to a good end. */
export function endFaults(stage: Stage): void {
  const { world } = stage;
  stage.note("faults end");
  stage.crossings.clear();
  world.onEvent = null;
  // Somebody sets the clocks right: by the one that decides.
  world.clocks.engineAheadMs = world.clocks.ledgerAheadMs;
  world.clocks.appAheadMs = world.clocks.ledgerAheadMs;
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
