const KIB = 1024;
const MIB = 1024 * KIB;
const DAY_MS = 24 * 3600 * 1000;

/**
 * What the engine takes at most, read from its own constants (Inngest 1.43, `pkg/consts`) and its page of limits; where
 * plans differ, what the smallest one takes. Beyond them it refuses an event, fails a run for good or refuses to register
 * a function, so nothing here may depend on load: each is kept by a bound of ours that is far below, and a test.
 */
export const ENGINE_LIMITS = {
  /** Of one event, as JSON: 256 KiB on the free plan, 3 MiB on the others and where it is self-hosted. */
  eventBytes: 256 * KIB,
  /** Of one request that hands events over; what the smallest event of a paid plan may be alone. */
  eventRequestBytes: 3 * MIB,
  eventsPerRequest: 5_000,
  eventNameCharacters: 255,
  /** Steps and sleeps of one run; one more fails it. */
  stepsPerRun: 1_000,
  stepOutputBytes: 4 * MIB,
  runStateBytes: 32 * MIB,
  /** Up to here the engine sends events and steps with its call; beyond, the app has to fetch them. */
  callBytes: 4 * MIB,
  /** One sleep: a week on the free plan, a year on the others. */
  sleepMs: 7 * DAY_MS,
  /** A retry comes no later than this, whatever it asked for. */
  retryMs: DAY_MS,
  retries: 20,
  triggers: 10,
  concurrencyRules: 2,
  /** Throttles have whole seconds, up to a week. */
  throttlePeriodMs: { min: 1_000, max: 7 * DAY_MS },
  prioritySeconds: 600,
  functionsPerApp: 100,
  /** Runs and steps of a month that the smallest paid plan includes; the free one includes 50,000. */
  executionsPerMonth: 1_000_000,
} as const;

/** A run never sleeps longer than this in one go: what would be longer waits in the ledger (`MAX_WAIT_MS`). */
export function isSleepTooLong(ms: number): boolean {
  return ms > ENGINE_LIMITS.sleepMs;
}
