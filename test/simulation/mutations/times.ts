import { type Mutation, NO_GUARD } from "./mutation";

/** Broken waits, staleness, rates and suppression of duplicates. */
export const TIMES: readonly Mutation[] = [
  {
    name: "early-jitter",
    promise: "P3",
    what: "jitter goes both ways around the provider's time",
    edits: [
      {
        file: "db/rules/retry-policy.ts",
        from: "return askedMs + Math.floor",
        to: "return askedMs - Math.floor",
      },
    ],
  },
  {
    name: "open-gate",
    promise: "P3",
    what: "a 429 moves its own delivery and closes no gate",
    edits: [
      {
        file: "db/ledger/feedback.ts",
        from: "budget.meter = feedThrottled (",
        to: "budget.meter=((meter)=>meter)(",
      },
    ],
  },
  {
    name: "deaf-to-the-late",
    promise: "P3",
    what: "the time that a refusal names is nobody's when it is read after the lease",
    edits: [{ file: "db/ledger/settle.ts", from: "await heedLateRefusals (", to: "void (" }],
  },
  {
    name: "throttle-costs",
    promise: "P3",
    what: "a 429 spends the failure budget",
    edits: [
      {
        file: "db/rules/settlement.ts",
        from: "return defer ( input , nowMs + delayMs , { throttleCount }",
        to: "return defer(input,nowMs+delayMs,{throttleCount,failureCount:input.counters.failureCount+1}",
      },
    ],
  },
  {
    name: "cancel-forgets",
    promise: "P6",
    what: "a cancel leaves its deliveries waiting, and the claim does not ask",
    edits: [
      {
        file: "db/rules/claim.ts",
        from: 'if ( facts.sourceCancelled || facts.occurrenceState === "cancelled" )',
        to: "if(false)",
      },
      {
        file: "db/reminders/cancel.ts",
        from: "waiting.map (",
        to: "[].map(",
      },
    ],
  },
  {
    name: "stale-send",
    promise: "P6",
    what: "expiry is nobody's business",
    edits: [
      { file: "db/rules/claim.ts", from: "facts.expiresAtMs <= nowMs ||", to: "" },
      { file: "db/ledger/expire.ts", from: "expires_at <= ledger_now()", to: "false" },
      { file: "db/ledger/open.ts", from: "expiresAtMs : row.expiresAtMs", to: "expiresAtMs:row.dueAtMs+1" },
    ],
  },
  {
    name: "loud-nights",
    promise: "P6",
    what: "quiet hours are asked at the opening only",
    edits: [
      { file: "db/rules/claim.ts", from: "if (hold !== null) return", to: "if(hold===undefined)return" },
    ],
  },
  {
    name: "opt-out-ignored",
    promise: "P6",
    what: "a channel that was turned off is used for what was open",
    edits: [{ file: "db/rules/claim.ts", from: "if ( ! facts.preferred )", to: "if(false)" }],
  },
  {
    name: "outlived-lease",
    promise: "P6",
    what: "a process that stood still after its claim calls although its lease is over",
    edits: [
      { file: "inngest/delivery-calls.ts", from: "if ( leaseLeftMs < adapter.deadlineMs )", to: "if(false)" },
      {
        file: "inngest/delivery-calls.ts",
        from: "|| this.isVoid ( claim ) || leaseEndMs - nowMs < deadlineMs",
        to: "||this.isVoid(claim)",
      },
    ],
  },
  {
    name: "overtaken-update",
    promise: "P6",
    what: "an older version of a parcel is neither superseded nor asked about",
    edits: [
      {
        file: "db/rules/claim.ts",
        from: "const overtaken = endOfFollowing ( facts )",
        to: "const overtaken=null",
      },
      { file: "db/shipments/fan-out.ts", from: "if ( overtaking.length === 0 )", to: "if(true)" },
    ],
  },
  {
    name: "done-forgets",
    promise: "P6",
    what: "what is done goes on where it waited",
    edits: [
      { file: "db/rules/claim.ts", from: "if ( facts.answered )", to: "if(false)" },
      { file: "db/reminders/done.ts", from: "answered.filter (", to: "[].filter(" },
    ],
  },
  {
    name: "all-at-once",
    promise: "P6",
    what: "one channel, then the next: all of them at once",
    edits: [
      {
        file: "db/ledger/open.ts",
        from: "const delayMs = steps * ( row.stepMinutes ?? 0 )",
        to: "const delayMs=steps*0",
      },
    ],
  },
  {
    name: "hasty-channel",
    promise: "P6",
    what: "the next channel goes when one delivery before it has ended, whatever the others do",
    edits: [
      {
        file: "db/ledger/pull-forward.ts",
        from: "and (before.state not in ('dead', 'expired') or before.reason = 'outcome_unknown')",
        to: "and false",
      },
    ],
  },
  {
    name: "erased-in-name",
    promise: "P6",
    what: "an erasure says that it is done and leaves everything",
    edits: [{ file: "db/privacy/erase.ts", from: "if ( person.erased )", to: "if(true)" }],
  },
  {
    name: "fast-meter",
    promise: "P7",
    what: "the meter charges a third of what a send costs",
    edits: [
      {
        file: "db/rules/slots.ts",
        from: "standing.catchUpMs ) + cost * standing.stepMs",
        to: "standing.catchUpMs)+cost*standing.stepMs*0.33",
      },
    ],
  },
  {
    name: "forgetful-meter",
    promise: "P7",
    what: "a reservation is granted and not stored",
    edits: [
      {
        file: "db/ledger/begin.ts",
        from: "storingMeters ( partition , reservation.meters )",
        to: "storingMeters(partition,[])",
      },
    ],
  },
  {
    name: "blind-repeat",
    promise: "P9",
    what: "SMS is repeated like email after an unknown outcome",
    edits: [{ file: "db/rules/repeat-policy.ts", from: 'sms : "blind"', to: 'sms:"keyed"' }],
  },
  {
    name: "forgotten-unknown",
    promise: "P9",
    what: "an unknown outcome is not written down",
    edits: [
      {
        file: "db/rules/settlement.ts",
        from: "input.unresolvedSinceMs ?? input.begunAtMs",
        to: "input.unresolvedSinceMs",
      },
    ],
  },
  {
    name: "no-token",
    promise: "P9",
    what: "whoever comes late settles the row, and the database does not guard it",
    edits: [
      { file: "db/ledger/settle.ts", from: "row.token === call.token", to: "true" },
      { file: "db/ledger/settle-rows.ts", from: "and d.token = w.token", to: "" },
    ],
    sql: NO_GUARD,
  },
  {
    name: "blind-promotion",
    promise: "P9",
    what: "a promoted copy goes on where its snapshot stood",
    edits: [
      {
        file: "db/restore/promote.ts",
        from: 'decideRestored({ ...row, snapshotAtMs, nowMs }) === "outcome_unknown"',
        to: "false",
      },
    ],
  },
];
