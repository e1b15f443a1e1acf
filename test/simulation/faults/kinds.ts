const around = (what: string, effects: readonly string[]) =>
  effects.flatMap((effect) => [`${what} before ${effect}`, `${what} after ${effect}`]);

/** What a provider does to a call, by its fault or status; most before and after it took the message. */
export const AT_CALLS = [
  "hang",
  "reset",
  "close",
  "truncate",
  "html-502",
  "json-500",
  "null-500",
  "html-200",
];

/**
 * Every kind of fault that a story can hold, as `Stage.faults` counts it. A report names each, so that one which never
 * strikes is seen.
 */
export const FAULT_KINDS: readonly string[] = [
  "kill",
  ...around("kill", ["transaction", "statement", "sleep", "call", "send"]),
  ...around("connection lost", ["transaction", "statement"]),
  "sqlstate 40001",
  "sqlstate 40P01",
  "stall anywhere",
  "stall before call",
  "stall after call",
  "stall after sleep",
  "stall after transaction",
  "engine forgets",
  ...["refuse", "lose-acks", "duplicate", "delay", "reorder", "drop-answers", "freeze"].map(
    (kind) => `engine: ${kind}`,
  ),
  "deploy: process replaced",
  "deploy: event of a version nobody reads",
  "deploy: event with more in it",
  ...AT_CALLS.flatMap((fault) => [`provider: ${fault}`, `provider: ${fault} after acceptance`]),
  ...["refuse", "slow", "throttle", "rate limit", "quota", "unauthorized", "gone"].map(
    (kind) => `provider: ${kind}`,
  ),
  "provider: error:validation_error",
  "provider: error:21610",
  "provider: error:21211",
  ...["seconds", "a date", "no Retry-After", "Retry-After of 0", "an unusable Retry-After"].map(
    (form) => `429 with ${form}`,
  ),
  ...["twice", "reversed", "absent"].map((how) => `reports: ${how}`),
  "clock: app steps",
  "clock: engine steps",
  "clock: provider differs",
  "clock: ledger steps on",
  "clock: ledger steps back",
  "snapshot restored",
  "copy promoted",
  "cleanup",
  "webhook not taken",
  ...["shed", "moved", "coalesced"].map((how) => `overload: ${how}`),
  "erased while it waited",
  "next channel at once",
];
