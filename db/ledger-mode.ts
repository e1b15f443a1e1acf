import { sql } from "drizzle-orm";
import { rows, transact } from "./connection";
import { type Operator, recordAction } from "./operator-actions";
import { fail, invalid, ok, type Result } from "./rules/errors";

/**
 * Holds the whole ledger, or lets it send again: what the next admission and the next claim of every partition obey.
 * Reminders are still taken, rendered and opened. A copy that nobody has promoted stays held whatever this says.
 */
export async function setMode(
  mode: "held" | "sending",
  operator: Operator,
): Promise<Result<{ mode: string }>> {
  if (operator.reason.trim() === "")
    return invalid("reason", operator.reason, "a reason that others will understand");
  return transact(async (tx): Promise<Result<{ mode: string }>> => {
    const changed = await rows(
      tx,
      sql`update ledger_state set mode = ${mode} where mode <> ${mode} returning mode`,
    );
    if (changed.length === 0) return fail({ code: "conflict", why: `The ledger is ${mode} already.` });
    await recordAction(tx, operator, {
      action: mode === "held" ? "hold" : "release",
      target: "ledger",
      details: {},
    });
    return ok({ mode });
  });
}
