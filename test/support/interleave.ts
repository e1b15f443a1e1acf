import { sqlState } from "../../db/connection";
import { replaceEffects } from "../../db/effects";

/** Fractions in [0, 1) that repeat for a seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

/** Lets other work go first for so many turns of the event loop. */
export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
}

/** The most turns between two statements: about as long as a few statements of somebody else take. */
const TURNS_MAX = 24;

/**
 * Puts pauses of random length in front of every statement, so that concurrent verbs meet in ever new places, and keeps
 * what the database refused (`40P01` is a deadlock, also one that the verb repeated by itself).
 */
export function interleave(random: () => number): { refused: string[]; stop: () => void } {
  const refused: string[] = [];
  const stop = replaceEffects({
    statement: async (run) => {
      await turns(Math.floor(random() ** 2 * TURNS_MAX));
      try {
        return await run();
      } catch (error) {
        const state = sqlState(error);
        if (state !== null) refused.push(state);
        throw error;
      }
    },
  });
  return { refused, stop };
}
