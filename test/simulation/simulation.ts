import { sql } from "drizzle-orm";
import { resumePartition, setLimits } from "../../db/admission/controls";
import { database, rows } from "../../db/connection";
import { checkInvariants } from "../../db/console/invariants";
import { readPartitionHealth } from "../../db/console/partitions";
import { ringPumps } from "../../inngest/dispatch";
import type { World } from "../support/world";
import { probePunctuality, restoreSnapshot, takeSnapshot } from "./afterwards";
import { audit } from "./auditor";
import { Dice } from "./dice";
import { digestOf, type Evidence, factsAbout, readEvidence, type Violation } from "./evidence";
import { endFaults, planFaults } from "./faults/plan";
import { Stage } from "./stage";
import { plan } from "./workload";

export interface SeedResult {
  seed: number;
  deliveries: number;
  digest: string;
  faults: Record<string, number>;
  violations: (Violation & { seed: number; step: string; facts: string[] })[];
  /** What happened, line by line. */
  lines: string[];
  virtualSeconds: number;
}

/**
 * A lease (35 s at most), the sweep's minute, the pump's minute: what may pass beside the backlog until work that a
 * fault left goes on.
 */
const RECOVERY_MS = 180_000;

/** SMS segments, when operators have put everything back. */
const SLOWEST_PER_SECOND = 1;

/** How often a recovering world is asked whether it is done. */
const LOOK_EACH_MS = 15_000;

/** Waits that began under a fault may be followed by one more; a chain that is longer never ends. */
const WAITS_MAX = 8;

/** Days on which clocks change somewhere, and one on which nothing does. */
const STARTS = [
  Date.UTC(2031, 4, 5, 9, 0, 0),
  Date.UTC(2031, 2, 30, 0, 55, 0),
  Date.UTC(2031, 9, 26, 0, 56, 30),
  Date.UTC(2031, 10, 2, 5, 57, 0),
  Date.UTC(2031, 3, 5, 14, 57, 0),
  Date.UTC(2031, 11, 31, 23, 54, 0),
];

/** Keeps the server's housekeeping out: it would change the order in which rows are found. */
export async function prepareDatabase(also?: string): Promise<void> {
  const tables = await rows<{ name: string }>(
    database(),
    sql`select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = 'public'`,
  );
  for (const { name } of tables) {
    await rows(database(), sql.raw(`alter table ${name} set (autovacuum_enabled = false)`));
  }
  if (also !== undefined) await rows(database(), sql.raw(also));
}

/** Stories after which an earlier state of the database is put back. */
const RESTORED_SHARE = 0.08;

/** Runs one story and audits it. The same seed is the same story, to the last row. */
export async function runSeed(seed: number): Promise<SeedResult> {
  const dice = new Dice(`seed ${seed}`);
  const quiet = silenceConsole();
  const stage = await Stage.open(dice, dice.pick(STARTS));
  const violations: SeedResult["violations"] = [];
  const seen = new Set<string>();
  const look = async (step: string): Promise<Evidence> => {
    const evidence = await readEvidence(stage);
    for (const violation of [...audit(evidence, stage), ...(await databaseViolations())]) {
      if (stage.ledgerClockStepped && !holdsAcrossSteps(violation, step)) continue;
      const name = `${violation.rule} ${violation.key}`;
      if (seen.has(name)) continue;
      seen.add(name);
      violations.push({ ...violation, seed, step, facts: factsAbout(evidence, violation.key) });
    }
    return evidence;
  };
  try {
    const isRestored = dice.fork("restore").chance(RESTORED_SHARE);
    await plan(stage);
    planFaults(stage);
    for (const atMs of stage.length.looksAtMs) {
      await stage.world.advance(stage.startMs + atMs - stage.world.nowMs());
      // A process that is down cannot be asked, and a database that waits for it is not at fault.
      if (!stage.world.app.down) await look(`${atMs / 1000} s`);
    }
    if (isRestored) await takeSnapshot();
    await stage.world.advance(stage.startMs + stage.length.faultsEndMs - stage.world.nowMs());
    endFaults(stage);
    await settleControls(stage);
    const late = await drain(stage);
    const evidence = await look("end");
    for (const key of late) {
      const rule = "did not end after the faults did";
      violations.push({ seed, step: "end", promise: "P5", rule, key, facts: factsAbout(evidence, key) });
    }
    countProviderFaults(stage, evidence);
    const more = [
      ...(late.length === 0 ? await probePunctuality(stage) : []),
      ...(isRestored ? await restoreSnapshot(stage) : []),
    ];
    violations.push(...more.map((violation) => ({ ...violation, seed, step: "afterwards" })));
    return {
      seed,
      deliveries: evidence.deliveries.length,
      digest: digestOf(evidence),
      faults: stage.faults,
      violations,
      lines: stage.lines,
      virtualSeconds: stage.sinceMs() / 1000,
    };
  } finally {
    stage.world.close();
    quiet();
  }
}

/**
 * Whether a rule says something although the deciding clock stepped: what was accepted how often, and how things ended.
 * What compares two instants does not.
 */
function holdsAcrossSteps({ promise, rule }: Violation, step: string): boolean {
  if (step !== "end" || rule.includes("begins") || rule.includes("begun")) return false;
  return ["P1", "P4", "P5", "P8", "P9"].includes(promise);
}

async function databaseViolations(): Promise<Violation[]> {
  const { checks } = await checkInvariants({
    historyMs: Number.POSITIVE_INFINITY,
    toleranceMs: 0,
    atOnce: true,
  });
  return checks.flatMap(({ promise, name, violations, sample }) =>
    violations === 0 ? [] : sample.map((key) => ({ promise, rule: `invariant: ${name}`, key })),
  );
}

/** The operators put everything back as it was: an endless pause is no fault of the system's. */
async function settleControls(stage: Stage): Promise<void> {
  const operator = { name: "operator", reason: "the day is over" };
  for (const { partition, channel, closed, ceiling } of await readPartitionHealth()) {
    const limits = { email: 5, sms: 1, push: 100 }[channel] ?? 1;
    if (ceiling !== limits) {
      const turned = await setLimits(partition, { ceiling: limits }, operator);
      if (turned.ok) await ringPumps(turned.value.rings);
    }
    const paused = closed?.startsWith("paused") ?? false;
    if (!paused && !stage.dice.chance(0.3)) continue;
    const turned = await resumePartition(partition, operator);
    if (turned.ok) await ringPumps(turned.value.rings);
  }
}

interface Rest {
  key: string;
  /** The instant that it waits for: its own next time, or the end of what closes its partition. */
  untilMs: number | null;
}

/** What is due and has not ended, with what it waits for. Work for later is not late. */
async function readRest(nowMs: number): Promise<Rest[]> {
  const deliveries = await rows<Rest>(
    database(),
    sql`select d.key, epoch_ms(greatest(d.next_eligible_at, m.blocked_until, p.parked_until, p.circuit_probe_at, d.kept_until,
          d.lease_until)) as "untilMs"
      from deliveries d join partitions p on p.key = d.partition join meters m on m.key = p.key
      where d.state in ('scheduled', 'ready', 'sending', 'deferred')
        and not (d.state = 'scheduled' and d.next_eligible_at > ledger_now()) order by d.key`,
  );
  const occurrences = await rows<Rest>(
    database(),
    sql`select id::text as key, null as "untilMs" from occurrences where state = 'waiting' and due_at <= ledger_now()
      order by id`,
  );
  return [...deliveries, ...occurrences].map((row) =>
    row.untilMs !== null && row.untilMs > nowMs ? row : { ...row, untilMs: null },
  );
}

/** Lets the world recover; answers what did not although nothing stood in its way any more. */
async function drain(stage: Stage): Promise<string[]> {
  const { world } = stage;
  for (let wait = 0; wait < WAITS_MAX; wait += 1) {
    const before = await readRest(world.ledgerNowMs());
    const backlogMs = (before.length / SLOWEST_PER_SECOND) * 1000 * 1.1;
    const asked = Math.max(0, ...before.map((row) => (row.untilMs ?? 0) - world.ledgerNowMs()));
    const left = await restAfter(world, asked + backlogMs + RECOVERY_MS);
    if (left.every((row) => row.untilMs !== null)) {
      if (left.length === 0) return [];
      continue;
    }
    // What came due just now has had no time yet.
    const stuck = new Set(before.map((row) => row.key));
    const late = left.filter((row) => row.untilMs === null && stuck.has(row.key));
    if (late.length > 0) return late.map((row) => row.key);
  }
  return (await readRest(world.ledgerNowMs())).map((row) => row.key);
}

/** What is left after that time; an early end is one, and the quiet minutes after it show nothing. */
async function restAfter(world: World, ms: number): Promise<Rest[]> {
  const untilMs = world.nowMs() + ms;
  for (;;) {
    await world.advance(Math.min(LOOK_EACH_MS, untilMs - world.nowMs()));
    const left = await readRest(world.ledgerNowMs());
    if (left.length === 0 || world.nowMs() >= untilMs) return left;
  }
}

/** Provider faults count where they met a call. */
function countProviderFaults(stage: Stage, evidence: Evidence): void {
  const count = (name: string) => {
    stage.faults[name] = (stage.faults[name] ?? 0) + 1;
  };
  for (const call of evidence.calls) {
    const throttled = call.status === 429 || call.status === 406;
    const kind = call.fault ?? (throttled ? "rate limit" : call.status === 410 ? "gone" : null);
    if (kind === null) continue;
    count(`provider: ${kind}${call.accepted ? " after acceptance" : ""}`);
  }
  for (const attempt of [...evidence.attempts.values()].flat()) {
    if (["throttled", "quota"].includes(attempt.class ?? "")) count(`429 with ${formOf(attempt.retryAfter)}`);
  }
}

function formOf(retryAfter: string | null): string {
  if (retryAfter === null) return "no Retry-After";
  if (/^\d+$/.test(retryAfter)) return retryAfter === "0" ? "Retry-After of 0" : "seconds";
  return / GMT$|^\w{3} \w{3} /.test(retryAfter) ? "a date" : "an unusable Retry-After";
}

/** What the app logs under faults is no news; the story says what matters. */
function silenceConsole(): () => void {
  const levels = ["info", "log", "warn", "error"] as const;
  const before = levels.map((level) => console[level]);
  for (const level of levels) console[level] = () => {};
  return () => {
    for (const [index, level] of levels.entries()) console[level] = before[index] as typeof console.log;
  };
}
