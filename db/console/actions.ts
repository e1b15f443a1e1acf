import { sql } from "drizzle-orm";
import { ledgerNowMs, rows, transact } from "../connection";
import { fail, ok, type Result } from "../rules/errors";
import { microseconds, olderThan, readPlace, writePlace } from "./cursor";

/** One thing that an operator did. */
export interface ActionLine {
  id: string;
  operator: string;
  action: string;
  target: string;
  reason: string;
  details: Record<string, unknown>;
  atMs: number;
}

export interface ActionPage {
  actions: ActionLine[];
  next: string | null;
  nowMs: number;
}

/** A page of the audit log, the latest first; of one target where it is named. */
export async function listActions(
  filters: { target?: string },
  options: { after?: string; limit: number },
): Promise<Result<ActionPage>> {
  const after = options.after === undefined ? null : readPlace(options.after);
  if (options.after !== undefined && after === null) return fail({ code: "not_found", what: "page" });
  return transact(async (tx) => {
    const found = await rows<ActionLine & { atUs: string }>(
      tx,
      sql`select a.id, a.operator, a.action, a.target, a.reason, a.details, epoch_ms(a.created_at) as "atMs",
          ${microseconds(sql`a.created_at`)} as "atUs"
        from operator_actions a
        where ${filters.target === undefined ? sql`true` : sql`a.target = ${filters.target}`}
          and ${olderThan(after, sql`a.created_at`, sql`a.id`)}
        order by a.created_at desc, a.id desc limit ${options.limit + 1}`,
    );
    const shown = found.slice(0, options.limit);
    const last = shown.at(-1);
    return ok({
      actions: shown.map(({ atUs: _, ...line }) => line),
      next: found.length > options.limit && last !== undefined ? writePlace(last) : null,
      nowMs: await ledgerNowMs(tx),
    });
  });
}
