import { sql } from "drizzle-orm";
import { rows, transact } from "../connection";
import { type Operator, recordAction } from "../operator-actions";
import { fail, invalid, ok, type Result } from "../rules/errors";
import { TERMINAL_STATES } from "../rules/lifecycle";
import { REDRIVE_HORIZON_DAYS } from "../rules/retention";
import { LATE_LANES, readCertainty } from "./certainty";

/** What retention is about: the rows of an ended state, or what messages said. */
const KINDS = [...TERMINAL_STATES, "content"] as const;
export type RetentionKind = (typeof KINDS)[number];

/** How long a state is kept, and who has approved it. */
export interface Retention {
  state: RetentionKind;
  keepDays: number;
  sloOwner: string | null;
  sloApprovedAtMs: number | null;
  recordsOwner: string | null;
  recordsApprovedAtMs: number | null;
  /** Whether cleanup may remove rows of this state. */
  approved: boolean;
}

/** Every state's retention with its approvals. */
export async function readRetention(): Promise<Retention[]> {
  return transact((tx) =>
    rows<Retention>(
      tx,
      sql`select state, keep_days as "keepDays", slo_owner as "sloOwner", epoch_ms(slo_approved_at) as "sloApprovedAtMs",
          records_owner as "recordsOwner", epoch_ms(records_approved_at) as "recordsApprovedAtMs",
          slo_owner is not null and records_owner is not null as approved
        from retention order by state`,
    ),
  );
}

/** The most days that anybody keeps a ledger row: ten years. */
const KEEP_DAYS_MAX = 3650;

/**
 * Proposes other days for a state; both approvals are withdrawn with it. Not under the redrive horizon, and not shorter
 * while a backlog or an uncertain owner might still need the rows.
 */
export async function setRetention(
  state: string,
  keepDays: number,
  operator: Operator,
): Promise<Result<{ state: string; keepDays: number }>> {
  if (!isKind(state)) return invalid("state", state, `one of ${KINDS.join(", ")}`);
  if (!Number.isInteger(keepDays) || keepDays < REDRIVE_HORIZON_DAYS || keepDays > KEEP_DAYS_MAX) {
    const accepted = `whole days from ${REDRIVE_HORIZON_DAYS}, the redrive horizon, to ${KEEP_DAYS_MAX}`;
    return invalid("days", keepDays, accepted);
  }
  return transact(async (tx): Promise<Result<{ state: string; keepDays: number }>> => {
    const [before] = await rows<{ keepDays: number }>(
      tx,
      sql`select keep_days as "keepDays" from retention where state = ${state} for update`,
    );
    if (before === undefined) return fail({ code: "not_found", what: "retention" });
    if (keepDays < before.keepDays) {
      const certainty = await readCertainty(tx);
      if (!certainty.certain)
        return fail({ code: "conflict", why: `Retention is not shortened now: ${certainty.why}.` });
      const [backlog] = await rows<{ key: string }>(
        tx,
        sql`select l.partition as key from ${LATE_LANES} order by l.partition limit 1`,
      );
      if (backlog !== undefined) {
        const why = `Retention is not shortened under backlog: ${backlog.key} has deliveries older than their SLO.`;
        return fail({ code: "conflict", why });
      }
    }
    await rows(
      tx,
      sql`update retention set keep_days = ${keepDays}, slo_owner = null, slo_approved_at = null, records_owner = null,
          records_approved_at = null where state = ${state}`,
    );
    await recordAction(tx, operator, {
      action: "retention",
      target: state,
      details: { before: before.keepDays, keepDays },
    });
    return ok({ state, keepDays });
  });
}

export type ApprovalRole = "slo" | "records";

/**
 * Approves a state's retention as one of its two owners. Cleanup begins with the second approval, and it must be another
 * person's: two signatures of one person are one.
 */
export async function approveRetention(
  state: string,
  role: string,
  operator: Operator,
): Promise<Result<Retention>> {
  if (!isKind(state)) return invalid("state", state, `one of ${KINDS.join(", ")}`);
  if (role !== "slo" && role !== "records") return invalid("role", role, "slo or records");
  return transact(async (tx): Promise<Result<Retention>> => {
    const [row] = await rows<{ other: string | null; keepDays: number }>(
      tx,
      sql`select ${role === "slo" ? sql`records_owner` : sql`slo_owner`} as other, keep_days as "keepDays"
        from retention where state = ${state} for update`,
    );
    if (row === undefined) return fail({ code: "not_found", what: "retention" });
    if (row.other === operator.name) {
      const why = `${operator.name} has approved as the other owner already; the second approval is somebody else's.`;
      return fail({ code: "conflict", why });
    }
    await rows(
      tx,
      role === "slo"
        ? sql`update retention set slo_owner = ${operator.name}, slo_approved_at = ledger_now() where state = ${state}`
        : sql`update retention set records_owner = ${operator.name}, records_approved_at = ledger_now() where state = ${state}`,
    );
    await recordAction(tx, operator, {
      action: "retention-approved",
      target: state,
      details: { role, keepDays: row.keepDays },
    });
    const [approved] = await rows<Retention>(
      tx,
      sql`select state, keep_days as "keepDays", slo_owner as "sloOwner", epoch_ms(slo_approved_at) as "sloApprovedAtMs",
          records_owner as "recordsOwner", epoch_ms(records_approved_at) as "recordsApprovedAtMs",
          slo_owner is not null and records_owner is not null as approved from retention where state = ${state}`,
    );
    return approved === undefined ? fail({ code: "not_found", what: "retention" }) : ok(approved);
  });
}

/** Turns cleanup off (with who and why) or on again. Off is obeyed between two batches. */
export async function switchCleanup(on: boolean, operator: Operator): Promise<Result<{ on: boolean }>> {
  if (operator.reason.trim() === "")
    return invalid("reason", operator.reason, "a reason that others will understand");
  return transact(async (tx): Promise<Result<{ on: boolean }>> => {
    await rows(
      tx,
      on
        ? sql`update ledger_state set cleanup_off_at = null, cleanup_off_by = null, cleanup_off_reason = null`
        : sql`update ledger_state set cleanup_off_at = ledger_now(), cleanup_off_by = ${operator.name}, cleanup_off_reason = ${operator.reason}`,
    );
    await recordAction(tx, operator, {
      action: on ? "cleanup-on" : "cleanup-off",
      target: "cleanup",
      details: {},
    });
    return ok({ on });
  });
}

function isKind(state: string): state is RetentionKind {
  return KINDS.includes(state as RetentionKind);
}
