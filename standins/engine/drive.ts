import type { VirtualClock } from "../clock";
import type { Engine } from "./core";

/** Instants one drive may step through; more means that something keeps itself alive. */
const MOST_STEPS = 1_000_000;

export type DriveOptions = {
  /** Ends the drive early, with the clock where it is. Asked at each instant, after the app has settled. */
  done?: () => boolean;
  /**
   * Resolves when the app can do no more at this instant. Default: no call is in flight, which suits apps whose calls
   * do not themselves wait for the virtual clock.
   */
  settle?: () => Promise<void>;
};

/**
 * Moves a virtual clock to `untilMs`, from one timer to the next, letting the app settle at each instant.
 *
 * @throws Error after a million instants.
 */
export async function drive(
  engine: Engine,
  clock: VirtualClock,
  untilMs: number,
  { done, settle = () => engine.idle() }: DriveOptions = {},
): Promise<void> {
  for (let step = 0; step < MOST_STEPS; step += 1) {
    await settle();
    if (done?.()) return;
    const nextMs = clock.nextTimerAtMs();
    if (nextMs === null || nextMs > untilMs) {
      clock.advanceTo(Math.max(untilMs, clock.nowMs()));
      return;
    }
    clock.advanceTo(Math.max(nextMs, clock.nowMs()));
  }
  throw new Error(`The engine was not done after ${MOST_STEPS} instants; the clock reads ${clock.nowMs()}.`);
}
