import { sql } from "drizzle-orm";
import { alone } from "../connection";

/** What cleanup counted of one state and reason before it deleted anything. */
export interface RemovableCount {
  state: string;
  reason: string | null;
  count: number;
  /** Finished before this. */
  beforeMs: number;
}

/** One pass of the cleanup as operators read it. */
export interface CleanupRun {
  id: string;
  mover: "cron" | "command";
  startedAtMs: number;
  finishedAtMs: number | null;
  outcome: "running" | "removed" | "refused";
  why: string | null;
  counted: RemovableCount[];
  removed: number;
  batches: number;
}

/** The cleanup's switch as it stands. */
export interface CleanupSwitch {
  on: boolean;
  offBy: string | null;
  offReason: string | null;
  offAtMs: number | null;
}

/** The newest passes, newest first. */
export function readCleanupRuns(limit: number): Promise<CleanupRun[]> {
  return alone<CleanupRun>(
    sql`select id, mover, epoch_ms(started_at) as "startedAtMs", epoch_ms(finished_at) as "finishedAtMs", outcome, why,
        counted, removed, batches
      from cleanup_runs order by started_at desc, id limit ${limit}`,
  );
}

/** Whether cleanup is switched on, and who switched it off. */
export async function readCleanupSwitch(): Promise<CleanupSwitch> {
  const [row] = await alone<CleanupSwitch>(
    sql`select cleanup_off_at is null as on, cleanup_off_by as "offBy", cleanup_off_reason as "offReason",
        epoch_ms(cleanup_off_at) as "offAtMs" from ledger_state`,
  );
  return row ?? { on: false, offBy: null, offReason: null, offAtMs: null };
}
