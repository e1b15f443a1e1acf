import type { VirtualClock } from "../../standins/clock";
import type { AppProcess } from "./app-process";

/** The SDK's waits between two tries to send events are shorter than this; a library's timers of longer are its own. */
const LIBRARY_WAIT_MS = 5_000;

/**
 * Puts the timers of libraries that the app calls on the virtual clock. The SDK puts some of its work off to the next
 * timer tick, a real millisecond: in a world that is the next turn of the event loop. Chance is the world's, too.
 */
export function quickenTimers(clock: VirtualClock, app: AppProcess, random: () => number): () => void {
  const real = {
    setTimeout: globalThis.setTimeout,
    clearTimeout: globalThis.clearTimeout,
    random: Math.random,
  };
  const set = (run: (...values: unknown[]) => void, ms = 0, ...values: unknown[]) => {
    if (ms <= 1) return setImmediate(run, ...values);
    const later = () => run(...values);
    const timer =
      ms > LIBRARY_WAIT_MS ? null : app.timer((due) => clock.setTimer(clock.nowMs() + ms, due), later);
    return timer === null ? real.setTimeout(later, ms) : { ...timer, ref() {}, unref() {} };
  };
  const clear = (handle: unknown) => {
    if (handle !== null && typeof handle === "object" && "cancel" in handle) (handle.cancel as () => void)();
    else if (handle !== null && typeof handle === "object" && "_onImmediate" in handle)
      clearImmediate(handle as never);
    else real.clearTimeout(handle as never);
  };
  globalThis.setTimeout = Object.assign(set, real.setTimeout) as unknown as typeof setTimeout;
  globalThis.clearTimeout = clear;
  Math.random = random;
  return () => {
    globalThis.setTimeout = real.setTimeout;
    globalThis.clearTimeout = real.clearTimeout;
    Math.random = real.random;
  };
}
