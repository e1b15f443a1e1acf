import { sql } from "drizzle-orm";
import { rows, type Transaction } from "./connection";
import { effects } from "./effects";

/** Who acts, and why: both are recorded with every action. */
export interface Operator {
  name: string;
  reason: string;
}

/** Writes down an operator's action in the action's own transaction, and returns its id. Never changed, never removed. */
export async function recordAction(
  tx: Transaction,
  operator: Operator,
  action: { action: string; target: string; details: Record<string, unknown> },
): Promise<string> {
  const id = effects.newId();
  await rows(
    tx,
    sql`insert into operator_actions (id, operator, action, target, reason, details, created_at)
      values (${id}::uuid, ${operator.name}, ${action.action}, ${action.target}, ${operator.reason},
        ${JSON.stringify(action.details)}::jsonb, ledger_now())`,
  );
  return id;
}
