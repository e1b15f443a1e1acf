import { type Mutation, NO_GUARD } from "./mutation";

/** Broken identity, isolation, history, progress and cleanup. */
export const KEYS: readonly Mutation[] = [
  {
    name: "random-key",
    promise: "P1",
    what: "each attempt has an idempotency key of its own",
    edits: [
      {
        file: "inngest/prepare.ts",
        from: "reference , attemptId , content",
        to: 'reference:attemptId.replaceAll("-",""),attemptId,content',
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
    name: "fresh-key",
    promise: "P4",
    what: "a redriven delivery goes under another key, and the database does not guard it",
    edits: [
      {
        file: "db/redrive/release.ts",
        from: "owner = p.owner, reason = null,",
        to: "owner = p.owner, reference = md5(d.reference), reason = null,",
      },
    ],
    sql: NO_GUARD,
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
    name: "no-mark",
    promise: "P5",
    what: "events are published and never marked",
    edits: [{ file: "inngest/publish.ts", from: "await markPublished (", to: "void (" }],
  },
  {
    name: "forgotten-follower",
    promise: "P5",
    what: "the first of a fan-out's page gets no row, and the cursor moves on",
    edits: [
      {
        file: "db/shipments/fan-out.ts",
        from: "const born = pages.flatMap (",
        to: "const born=((list,pick)=>list.flatMap(pick).slice(1))(pages,",
      },
    ],
  },
  {
    name: "coalesced-away",
    promise: "P5",
    what: "coalescing takes the latest update too",
    edits: [
      {
        file: "db/shipments/degradation.ts",
        from: "and newer.version > e.version",
        to: "and newer.version >= e.version",
      },
      { file: "db/shipments/degradation.ts", from: "and f.joined_version < newer.version", to: "" },
    ],
  },
  {
    name: "shed-anything",
    promise: "P5",
    what: "a lane that gives up what is too old takes reminders for updates",
    edits: [{ file: "db/shipments/degradation.ts", from: "and d.shipment_event_id is not null", to: "" }],
  },
  {
    name: "moved-to-nobody",
    promise: "P5",
    what: "an update is moved to a channel that has ended without it",
    edits: [
      {
        file: "db/shipments/degradation.ts",
        from: "s.state not in ('dead', 'expired')",
        to: "s.state is not null",
      },
      { file: "db/shipments/other-channel.ts", from: "carriers ( row , other )", to: "true" },
    ],
  },
  {
    name: "sent-on-both",
    promise: "P1",
    what: "what is moved goes on where it was, too",
    edits: [
      {
        file: "db/shipments/other-channel.ts",
        from: 'endWaiting ( tx , gone , "moved" )',
        to: 'endWaiting(tx,[],"moved")',
      },
    ],
  },
  {
    name: "restless-pump",
    promise: "P5",
    what: "the pump never rests, so that time does not move on",
    edits: [
      {
        file: "inngest/functions/admit-deliveries.ts",
        from: "ms: rest.ms",
        to: "ms:0",
      },
    ],
  },
  {
    name: "clean-by-age",
    promise: "P8",
    what: "cleanup asks how old a row is, and not what became of it",
    edits: [
      {
        file: "db/cleanup/remove.ts",
        from: "d.state in ('delivered', 'dead', 'expired') and d.state =",
        to: "d.state <> 'none' and 'none' <>",
      },
      { file: "db/cleanup/remove.ts", from: "and d.finished_at <", to: "and d.created_at <" },
    ],
  },
];
