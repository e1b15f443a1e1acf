import { register } from "node:module";

/** One change of a product file: the first place of `from`, in which whitespace does not count, becomes `to`. */
interface Edit {
  file: string;
  from: string;
  to: string;
}

/** A way to break the product on purpose, to prove that the auditor sees it. Lives in one process, changes no file. */
export interface Mutation {
  name: string;
  promise: string;
  what: string;
  edits: readonly Edit[];
  /** Done to the database before the first story. */
  sql?: string;
}

export const MUTATIONS: readonly Mutation[] = [
  {
    name: "random-key",
    promise: "P1",
    what: "each attempt has an idempotency key of its own",
    edits: [
      {
        file: "inngest/prepare.ts",
        from: "reference : row.reference ,",
        to: 'reference:attemptId.replaceAll("-",""),',
      },
    ],
  },
  {
    name: "open-again",
    promise: "P1",
    what: "an opened occurrence stays waiting and opens again",
    edits: [
      {
        file: "db/ledger/open.ts",
        from: "set state = 'opened', opened_at = ledger_now()",
        to: "set version = version",
      },
    ],
  },
  {
    name: "one-budget",
    promise: "P2",
    what: "push shares the partition of email",
    edits: [
      {
        file: "db/rules/partition-key.ts",
        from: "return `push:",
        to: 'return "email:resend:main";`push:',
      },
    ],
  },
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
    name: "lost-history",
    promise: "P4",
    what: "an attempt is counted that no row tells of",
    edits: [
      {
        file: "db/ledger/begin.ts",
        from: "attempt_count = w.number,",
        to: "attempt_count=w.number+1,",
      },
    ],
  },
  {
    name: "mark-without-sending",
    promise: "P5",
    what: "the outbox is marked as published although the engine refused",
    edits: [
      {
        file: "inngest/publish.ts",
        from: "taken ? rest.map (",
        to: "true?rest.map(",
      },
    ],
  },
  {
    name: "no-recovery",
    promise: "P5",
    what: "lapsed leases are left alone",
    edits: [
      {
        file: "db/ledger/recover.ts",
        from: "lease_until <= ledger_now()",
        to: "lease_until <= ledger_now() - interval '1 day'",
      },
    ],
  },
  {
    name: "no-overdue-opening",
    promise: "P5",
    what: "the sweep neither opens what is overdue nor arms lost waits",
    edits: [
      {
        file: "inngest/sweep.ts",
        from: "( await openDueBetween ( 0 , nowMs - OVERDUE_MS ) ) . opened",
        to: "0",
      },
      { file: "inngest/sweep.ts", from: "counts.rearmed = await rearmWaits ( )", to: "counts.rearmed=0" },
    ],
  },
  {
    name: "no-pump-bell",
    promise: "P5",
    what: "a dead pump is not rung again",
    edits: [
      {
        file: "db/admission/pump.ts",
        from: "if ( silent.length === 0 ) return",
        to: "if(silent.length>=0)return",
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
    ],
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
    sql: "alter table deliveries disable trigger deliveries_guard",
  },
];

/** Where a change goes, in a text as it is written or as it is compiled: whitespace does not count. */
export function placeOf(from: string): RegExp {
  const parts = from.split(/\s+/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(parts.join("\\s*"));
}

/** Breaks the product for the rest of this process; its modules must not have been loaded yet. */
export function installMutation(mutation: Mutation): void {
  const root = new URL("../../", import.meta.url).href;
  register("./mutate.mjs", import.meta.url, { data: { root, edits: mutation.edits } });
}
