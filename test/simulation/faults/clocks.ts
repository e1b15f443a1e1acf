import type { Stage } from "../stage";
import { PROVIDERS, type Strike } from "./strike";

/** An app server's clock is wrong, or is set right: no decision may read it. */
const appClock: Strike = (stage, dice, atMs) => {
  const byMs = dice.int(-600, 600) * 1000;
  stage.at(atMs, () => {
    stage.struck("clock: app steps", `by ${byMs} ms`);
    stage.world.clocks.appAheadMs += byMs;
  });
};

/** The engine's clock differs from the ledger's from now on: it wakes too early or too late. */
const engineClock: Strike = (stage, dice, atMs) => {
  const byMs = dice.pick([-1, 1]) * dice.int(200, 20_000);
  stage.at(atMs, () => {
    stage.struck("clock: engine steps", `by ${byMs} ms`);
    stage.world.clocks.engineAheadMs += byMs;
  });
};

/** A provider lives by another clock all story long: its dates say something else than they seem to. */
const providerClock: Strike = (stage, dice) => {
  const byMs = dice.int(-900, 900) * 1000;
  if (stage.world.clocks.providersAheadMs !== 0) return;
  stage.struck("clock: provider differs", `by ${byMs} ms`);
  stage.world.clocks.providersAheadMs = byMs;
  // Their limits begin anew in the time that they live by.
  for (const provider of PROVIDERS) stage.world.providers.restoreDefaults(provider);
};

/**
 * The one clock that decides steps itself: the database moved to another machine, or its host was set right. Rate and
 * Retry-After cannot be kept across it; that nothing is lost, doubled or invented is judged all the same.
 */
const ledgerClock: Strike = (stage, dice, atMs) =>
  stepLedger(stage, dice.chance(0.7) ? dice.int(500, 600_000) : -dice.int(500, 60_000), atMs);

/** It goes back, and some seconds later it is set right again. */
export const ledgerClockSwings: Strike = (stage, dice, atMs) => {
  const byMs = dice.int(500, 60_000);
  stepLedger(stage, -byMs, atMs);
  stepLedger(stage, byMs, atMs + 5_000);
};

function stepLedger(stage: Stage, byMs: number, atMs: number): void {
  stage.ledgerClockStepped = true;
  stage.at(atMs, () => {
    stage.struck(`clock: ledger steps ${byMs > 0 ? "on" : "back"}`, `by ${byMs} ms`);
    stage.world.clocks.ledgerAheadMs += byMs;
  });
}

export const CLOCK_STRIKES = { appClock, engineClock, providerClock, ledgerClock };
