import { sql } from "drizzle-orm";
import { rows, type Transaction, transact } from "../connection";
import { type Operator, recordAction } from "../operator-actions";
import { fail, invalid, ok, type Result } from "../rules/errors";
import { isId } from "../rules/id";
import { callDriver } from "./start";
import { endRedrive, recordEndings } from "./step";
import type { RedriveState } from "./views";

export type RedriveControl = Result<{ redriveId: string; state: RedriveState }>;

interface Control {
  action: string;
  /** States in which it does something; in `already` it has been done, by the other click. */
  from: readonly RedriveState[];
  already: RedriveState;
}

/** Turns one control of a redrive: compare-and-set on its state, with who and why in the same transaction. */
async function control(
  id: string,
  operator: Operator,
  { action, from, already }: Control,
  change: (tx: Transaction) => Promise<Record<string, unknown>>,
): Promise<RedriveControl> {
  if (operator.reason.trim() === "")
    return invalid("reason", operator.reason, "a reason that others will understand");
  if (!isId(id)) return fail({ code: "not_found", what: "redrive" });
  return transact(async (tx): Promise<RedriveControl> => {
    const [row] = await rows<{ state: RedriveState }>(
      tx,
      sql`select state from redrives where id = ${id}::uuid for update`,
    );
    if (row === undefined) return fail({ code: "not_found", what: "redrive" });
    if (row.state === already) return ok({ redriveId: id, state: already });
    if (!from.includes(row.state))
      return fail({
        code: "conflict",
        why: `This redrive is ${row.state}; it cannot be ${already} any more.`,
      });
    const details = await change(tx);
    await recordAction(tx, operator, { action, target: id, details });
    return ok({ redriveId: id, state: already });
  });
}

/** Pauses a running redrive by hand. What has been released goes its way. */
export function pauseRedrive(id: string, operator: Operator): Promise<RedriveControl> {
  return control(
    id,
    operator,
    { action: "redrive-pause", from: ["running"], already: "paused" },
    async (tx) => {
      await rows(
        tx,
        sql`update redrives set state = 'paused', paused_at = ledger_now(), pause_kind = 'operator',
          pause_reason = ${operator.reason}, driver_until = null where id = ${id}::uuid`,
      );
      return {};
    },
  );
}

/** Goes on after a pause: with its canaries first, because what stopped it may not be over. A new rate may be named. */
export function resumeRedrive(
  id: string,
  operator: Operator,
  options: { ratePerSecond?: number } = {},
): Promise<RedriveControl> {
  const { ratePerSecond } = options;
  if (ratePerSecond !== undefined && !(ratePerSecond > 0 && ratePerSecond <= 10_000))
    return Promise.resolve(invalid("ratePerSecond", ratePerSecond, "a number above 0, at most 10000"));
  return control(
    id,
    operator,
    { action: "redrive-resume", from: ["paused"], already: "running" },
    async (tx) => {
      await recordEndings(tx, id);
      await rows(
        tx,
        sql`update redrives set state = 'running', resumed_at = ledger_now(), paused_at = null, pause_kind = null,
          pause_reason = null, asked_per_second = coalesce(${ratePerSecond ?? null}::float8, asked_per_second)
        where id = ${id}::uuid`,
      );
      await rows(
        tx,
        sql`update redrive_partitions set canary_from = released, paced_since = null, next_at = ledger_now(), limited_by = null
        where redrive_id = ${id}::uuid`,
      );
      await callDriver(tx, id);
      return ratePerSecond === undefined ? {} : { ratePerSecond };
    },
  );
}

/** Ends a redrive for good. What has been released goes its way, what has not stays dead. */
export function stopRedrive(id: string, operator: Operator): Promise<RedriveControl> {
  return control(
    id,
    operator,
    { action: "redrive-stop", from: ["running", "paused"], already: "stopped" },
    async (tx) => {
      await recordEndings(tx, id);
      await endRedrive(tx, id, "stopped");
      return {};
    },
  );
}
