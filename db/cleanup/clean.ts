import { effects } from "../effects";
import { beginCleanup, endCleanup, removeFinished, removeServed, wipeContents } from "./remove";

/** Rows deleted per transaction: some tens of milliseconds, so that no claim ever waits for it. */
export const BATCH_ROWS = 200;

/** Batches per call: a call stays well under a minute whatever has piled up. */
const BATCHES_PER_STRETCH = 100;

/** Batches of one command: half a million rows; the next pass goes on. */
const BATCHES_MAX = 2_500;

/** What a stretch of a pass came to. */
export interface Stretch {
  removed: number;
  more: boolean;
  why: string | null;
}

/**
 * Removes batch after batch until nothing is left, something forbids it, or the stretch is over. It rests as long as each
 * batch took: sends have at least half of what the database and its disk can do.
 */
export async function cleanStretch(runId: string): Promise<Stretch> {
  const total: Stretch = { removed: 0, more: true, why: null };
  for (let batch = 0; batch < BATCHES_PER_STRETCH && total.more; batch += 1) {
    const startMs = effects.monotonicMs();
    const { removed, more, why } = await removeFinished(runId, BATCH_ROWS);
    if (more) await effects.sleep(effects.monotonicMs() - startMs);
    total.removed += removed;
    total.more = more;
    total.why = why;
  }
  if (!total.more && total.why === null) {
    for (let batch = 0; batch < BATCHES_PER_STRETCH; batch += 1) {
      const startMs = effects.monotonicMs();
      if ((await wipeContents(BATCH_ROWS)) < BATCH_ROWS) break;
      await effects.sleep(effects.monotonicMs() - startMs);
    }
    await removeServed(BATCH_ROWS * BATCHES_PER_STRETCH);
  }
  return total;
}

/** What a whole pass came to. */
export interface CleanupOutcome {
  runId: string | null;
  removed: number;
  /** Why nothing, or not everything, was removed; null when all that may go is gone. */
  why: string | null;
}

/** One pass from beginning to end, for the command line. */
export async function cleanLedger(): Promise<CleanupOutcome> {
  const pass = await beginCleanup("command");
  if (pass === null) return { runId: null, removed: 0, why: "another pass is under way" };
  const { runId, permission } = pass;
  if (!permission.allowed) return { runId, removed: 0, why: permission.why };
  const outcome: CleanupOutcome = { runId, removed: 0, why: null };
  for (let done = 0; done < BATCHES_MAX; done += BATCHES_PER_STRETCH) {
    const stretch = await cleanStretch(runId);
    outcome.removed += stretch.removed;
    outcome.why = stretch.why;
    if (!stretch.more) break;
  }
  await endCleanup(runId, outcome.why);
  return outcome;
}
