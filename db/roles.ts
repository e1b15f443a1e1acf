import { sql } from "drizzle-orm";
import type { Operator } from "./admission/controls";
import { ledgerNowMs, rows, transact } from "./connection";
import { recordAction } from "./operator-actions";
import { fail, invalid, ok, type Result } from "./rules/errors";

/** What a signed-in person may do: a shopper their own things, a viewer look at the console, an operator act there. */
export const ROLES = ["shopper", "viewer", "operator"] as const;
export type Role = (typeof ROLES)[number];

/** What every page of the console needs besides its subject: where its reader is, and the ledger's clock. */
export async function readReader(subscriberId: string): Promise<{ timeZone: string; nowMs: number }> {
  return transact(async (tx) => {
    const [row] = await rows<{ timeZone: string }>(
      tx,
      sql`select time_zone as "timeZone" from subscribers where id = ${subscriberId}::uuid`,
    );
    return { timeZone: row?.timeZone ?? "UTC", nowMs: await ledgerNowMs(tx) };
  });
}

/** Gives somebody who has signed in before another role, with who and why on record. */
export async function setRole(email: string, role: string, operator: Operator): Promise<Result<null>> {
  if (!ROLES.includes(role as Role)) return invalid("role", role, `one of ${ROLES.join(", ")}`);
  if (operator.reason.trim() === "")
    return invalid("reason", operator.reason, "a reason that others will understand");
  return transact(async (tx): Promise<Result<null>> => {
    const [user] = await rows<{ id: string; role: string }>(
      tx,
      sql`select id, role from auth_users where email = lower(${email}) for update`,
    );
    if (user === undefined)
      return fail({ code: "not_found", what: "account; it begins with a first sign-in" });
    await rows(
      tx,
      sql`update auth_users set role = ${role}, updated_at = ledger_now() where id = ${user.id}`,
    );
    await recordAction(tx, operator, {
      action: "role",
      target: user.id,
      details: { before: user.role, role },
    });
    return ok(null);
  });
}
