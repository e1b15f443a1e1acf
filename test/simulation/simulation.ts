import { sql } from "drizzle-orm";
import { database, rows } from "../../db/connection";
import { LiveLock } from "../support/unrest";
import { probePunctuality } from "./afterwards";
import { audit } from "./auditor";
import { cleanUp } from "./cleanup";
import { Dice } from "./dice";
import {
  type DeliveryFacts,
  digestOf,
  type Evidence,
  factsAbout,
  readEvidence,
  type Violation,
} from "./evidence";
import { endFaults, planFaults } from "./faults/plan";
import { databaseViolations } from "./judge";
import { drain, settleControls } from "./recovery";
import { restoreSnapshot, takeSnapshot } from "./restore";
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
const RESTORED_SHARE = 0.1;

/** Stories after which weeks pass and the ledger is cleaned; not those that a restore follows. */
const CLEANED_SHARE = 0.15;

/** Runs one story and audits it. The same seed is the same story, to the last row. */
export async function runSeed(seed: number): Promise<SeedResult> {
  const dice = new Dice(`seed ${seed}`);
  const quiet = silenceConsole();
  const stage = await Stage.open(dice, dice.pick(STARTS));
  try {
    return await tell(seed, stage, dice);
  } catch (error) {
    if (error instanceof LiveLock) return neverEnded(seed, stage, error);
    throw error;
  } finally {
    stage.world.close();
    quiet();
  }
}

/** A story in which the app was so busy that time did not move on. */
function neverEnded(seed: number, stage: Stage, { message }: LiveLock): SeedResult {
  const [rule = "", ...facts] = message.split("\n");
  const { faults, lines } = stage;
  const virtualSeconds = stage.sinceMs() / 1000;
  const violations = [
    { seed, step: `${virtualSeconds} s`, promise: "P5", rule, key: "the whole app", facts },
  ];
  return { seed, deliveries: 0, digest: "", faults, violations, lines, virtualSeconds };
}

async function tell(seed: number, stage: Stage, dice: Dice): Promise<SeedResult> {
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
  const isRestored = dice.fork("restore").chance(RESTORED_SHARE);
  const isCleaned = !isRestored && dice.fork("cleanup").chance(CLEANED_SHARE);
  await plan(stage);
  planFaults(stage, seed);
  for (const atMs of stage.length.looksAtMs) {
    await stage.world.advance(stage.startMs + atMs - stage.world.nowMs());
    // A process that is down cannot be asked, and a database that waits for it is not at fault.
    if (!stage.world.app.down) await look(`${atMs / 1000} s`);
  }
  const snapshotAtMs = isRestored ? await takeSnapshot(stage) : null;
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
  countEndings(stage, evidence);
  const more = [
    ...(late.length === 0 ? await probePunctuality(stage) : []),
    ...(snapshotAtMs !== null ? await restoreSnapshot(stage, snapshotAtMs) : []),
    ...(isCleaned ? await cleanUp(stage) : []),
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
}

/**
 * Whether a rule says something although the deciding clock stepped: what was accepted how often, and how things ended.
 * What compares two instants does not.
 */
function holdsAcrossSteps({ promise, rule }: Violation, step: string): boolean {
  if (step !== "end" || rule.includes("begins") || rule.includes("begun")) return false;
  return ["P1", "P4", "P5", "P8", "P9"].includes(promise);
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

/** What the product gave up, moved, called earlier or erased because of it: that a story holds it does not say it met any. */
function countEndings(stage: Stage, evidence: Evidence): void {
  const wantEvery = new Set(
    stage.followings.flatMap(({ policy, parcel, shopper }) =>
      policy === "every" ? [`${parcel} ${shopper.id}`] : [],
    ),
  );
  const steps = new Map(stage.told.map(({ id, inOrder }) => [id, inOrder]));
  const endings: Record<string, (row: DeliveryFacts) => boolean> = {
    "overload: shed": (row) => row.reason === "shed",
    "overload: moved": (row) => row.reason === "moved",
    "overload: coalesced": (row) =>
      row.reason === "superseded" && wantEvery.has(`${row.parcel} ${row.subscriberId}`),
    "erased while it waited": (row) => row.reason === "erased",
    "next channel at once": (row) =>
      steps.get(row.reminderId ?? "")?.channels.indexOf(row.channel) !== 0 &&
      steps.get(row.reminderId ?? "") != null &&
      row.attemptCount > 0 &&
      row.scheduledAtMs < (row.dueAtMs ?? 0) + (steps.get(row.reminderId ?? "")?.stepMs ?? 0) &&
      row.scheduledAtMs > (row.dueAtMs ?? 0),
  };
  for (const [kind, isOne] of Object.entries(endings)) {
    const count = evidence.deliveries.filter(isOne).length;
    if (count > 0) stage.faults[kind] = count;
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
