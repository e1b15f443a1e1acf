import type { Bench } from "./bench";
import { drain } from "./drain";

/** Longer than a sweep's minute and the half minute that a crowd is opened ahead: such reminders were set long before. */
const AHEAD_MS = 95_000;

/** Nine o'clock: thousands of reminders of one instant, at a provider that takes them fast. */
export const bench: Bench = {
  question: "time to send thousands of reminders due at one instant ÷ the least time, at 500 a second",
  floor: "(deliveries − burst) ÷ rate: a call sooner is a 429",
  rates: { email: 500 },
  // A tenth of a second's calls as burst, as fast providers allow.
  parameters: (scale) => ({ ratePerSecond: 500, burst: 50, deliveries: Math.round(5000 * scale) }),
  targets: {
    drainOverFloor: { atMost: 1.05, peer: "BullMQ tuned 1.13 at 100 a second" },
    throttledPerThousand: { atMost: 0 },
    duplicates: { atMost: 0 },
  },
  run: (stage, parameters) => drain(stage, parameters, { aheadMs: AHEAD_MS }),
};
