import { sql } from "drizzle-orm";
import { readCertainty } from "../cleanup/certainty";
import { ledgerNowMs, rows, sqlState, type Transaction, transact } from "../connection";
import { type Operator, recordAction } from "../operator-actions";
import { stageEvents } from "../outbox";
import { fail, invalid, ok, type Result } from "../rules/errors";
import { redriveEventId } from "../rules/event-catalog";
import { isId } from "../rules/id";
import type { RedriveState } from "./views";

/** A preview is confirmed while it is fresh: what it says about rates and expiries is soon not so any more. */
export const PREVIEW_VALID_MS = 30 * 60_000;

/** A driver that has not renewed for this long after its wake-up is taken for dead, and the sweep starts another. */
export const DRIVER_GRACE_MS = 30_000;

export interface StartInput {
  id: string;
  /** The number that the preview said would be sent, repeated by whoever confirms it. */
  confirm: number;
  operator: Operator;
}

/** `joined`: it had been started already, by the other click or the other operator; nothing was started twice. */
export interface Started {
  redriveId: string;
  joined: boolean;
}

/** The unique index on active burials. */
const UNIQUE_VIOLATION = "23505";

/**
 * Starts a previewed redrive: compare-and-set on the preview, the exact count repeated, reason and operator recorded, and
 * its driver called by the outbox in the same transaction. A set that an unfinished redrive has already is that redrive:
 * two clicks and two operators make one.
 */
export async function startRedrive(input: StartInput): Promise<Result<Started>> {
  if (input.operator.reason.trim() === "")
    return invalid("reason", input.operator.reason, "a reason that others will understand");
  if (!isId(input.id)) return fail({ code: "not_found", what: "redrive" });
  try {
    return await transact((tx) => start(tx, input));
  } catch (error) {
    // The other one committed between our look and our claim: now it is there to be seen.
    if (sqlState(error) !== UNIQUE_VIOLATION) throw error;
    return transact((tx) => start(tx, input));
  }
}

interface Previewed {
  state: RedriveState;
  wouldSend: number;
  createdAtMs: number;
}

async function start(tx: Transaction, { id, confirm, operator }: StartInput): Promise<Result<Started>> {
  const [row] = await rows<Previewed>(
    tx,
    sql`select state, would_send as "wouldSend", epoch_ms(created_at) as "createdAtMs" from redrives
      where id = ${id}::uuid for update`,
  );
  if (row === undefined) return fail({ code: "not_found", what: "redrive" });
  if (row.state !== "previewed") return ok({ redriveId: id, joined: true });
  if ((await ledgerNowMs(tx)) - row.createdAtMs > PREVIEW_VALID_MS)
    return fail({ code: "conflict", why: "This preview is more than half an hour old: preview again." });
  if (row.wouldSend === 0) return fail({ code: "conflict", why: "None of these would be sent." });
  if (confirm !== row.wouldSend)
    return invalid("confirm", confirm, `the number of messages that would be sent, ${row.wouldSend}`);
  const certainty = await readCertainty(tx);
  if (!certainty.certain) return fail({ code: "conflict", why: `Redrive is closed: ${certainty.why}.` });
  const taken = await readTaken(tx, id);
  if (taken.count > 0) {
    const [other] = taken.redrives;
    if (taken.count === row.wouldSend && other !== undefined && taken.redrives.length === 1)
      return ok({ redriveId: other, joined: true });
    const why = `${taken.count} of these are in another redrive by now (${taken.redrives.join(", ")}): preview again.`;
    return fail({ code: "conflict", why });
  }
  await rows(
    tx,
    sql`update redrive_members set active = true where redrive_id = ${id}::uuid and state = 'pending'`,
  );
  await rows(
    tx,
    sql`update redrives set state = 'running', operator = ${operator.name}, reason = ${operator.reason},
        started_at = ledger_now(), resumed_at = ledger_now() where id = ${id}::uuid`,
  );
  await recordAction(tx, operator, {
    action: "redrive-start",
    target: id,
    details: { wouldSend: row.wouldSend },
  });
  await callDriver(tx, id);
  return ok({ redriveId: id, joined: false });
}

async function readTaken(tx: Transaction, id: string): Promise<{ count: number; redrives: string[] }> {
  const [row] = await rows<{ count: number; redrives: string[] | null }>(
    tx,
    sql`select count(*)::int as count, array_agg(distinct o.redrive_id::text) as redrives
      from redrive_members m join redrive_members o on o.burial_id = m.burial_id and o.active
      where m.redrive_id = ${id}::uuid and m.state = 'pending' and o.redrive_id <> m.redrive_id`,
  );
  return { count: row?.count ?? 0, redrives: row?.redrives ?? [] };
}

/** Gives a running redrive a new driver: the old one's next tick finds another generation and ends. */
export async function callDriver(tx: Transaction, id: string): Promise<void> {
  const [row] = await rows<{ generation: number }>(
    tx,
    sql`update redrives set driver_generation = driver_generation + 1,
        driver_until = ledger_now() + ${DRIVER_GRACE_MS} * interval '1 millisecond'
      where id = ${id}::uuid returning driver_generation as generation`,
  );
  if (row === undefined) return;
  const { generation } = row;
  await stageEvents(tx, [
    {
      name: "redrive/called",
      data: { v: 1, redriveId: id, generation },
      eventId: redriveEventId(id, generation),
    },
  ]);
}
