import { sql } from "drizzle-orm";
import { ledgerNowMs, rows, type Transaction, transact } from "../connection";
import { effects } from "../effects";
import { lockDeliveries } from "../ledger/lock";
import { type Operator, recordAction } from "../operator-actions";
import { fail, invalid, ok, type Result } from "../rules/errors";
import { isId } from "../rules/id";
import { DEAD_REASONS } from "../rules/lifecycle";
import { redriveVerdict, verdictWords } from "../rules/redrive-verdict";
import { type DeadFacts, readDeadFacts } from "./facts";
import { callDriver } from "./start";

/** A dead letter as the operator saw it: a later burial of the same delivery is another one. */
export interface DeadLetterName {
  deliveryId: string;
  burialId: string;
}

/** Letters of one click. */
const LETTERS_MAX = 500;

/** How many moved; the rest had changed meanwhile. */
export type LettersMoved = Result<{ moved: number; unchanged: number }>;

/** Dismisses dead letters: they stay dead, and lists and redrives pass them over. Each is an action of its own. */
export function dismissDeadLetters(
  letters: readonly DeadLetterName[],
  operator: Operator,
): Promise<LettersMoved> {
  return moveLetters(letters, operator, { action: "dismiss", dismissed: true });
}

/** Takes a dismissal back. */
export function restoreDeadLetters(
  letters: readonly DeadLetterName[],
  operator: Operator,
): Promise<LettersMoved> {
  return moveLetters(letters, operator, { action: "restore", dismissed: false });
}

async function moveLetters(
  letters: readonly DeadLetterName[],
  operator: Operator,
  { action, dismissed }: { action: "dismiss" | "restore"; dismissed: boolean },
): Promise<LettersMoved> {
  if (operator.reason.trim() === "")
    return invalid("reason", operator.reason, "a reason that others will understand");
  if (letters.length === 0 || letters.length > LETTERS_MAX)
    return invalid("letters", letters.length, `1 to ${LETTERS_MAX} dead letters`);
  if (!letters.every(({ deliveryId, burialId }) => isId(deliveryId) && isId(burialId)))
    return fail({ code: "not_found", what: "dead letter" });
  return transact(async (tx): Promise<LettersMoved> => {
    const ids = letters.map(({ deliveryId }) => deliveryId);
    await lockDeliveries(tx, ids);
    const moved = await rows<{ key: string; burialId: string }>(
      tx,
      sql`update deliveries d set dismissed_at = case when ${dismissed} then ledger_now() end
        from jsonb_to_recordset(${JSON.stringify(letters)}::jsonb) as w("deliveryId" uuid, "burialId" uuid)
        where d.id = w."deliveryId" and d.burial_id = w."burialId" and d.state = 'dead'
          and (d.dismissed_at is null) = ${dismissed} and not exists (select from redrive_members m
            where m.burial_id = d.burial_id and m.active)
        returning d.key, d.burial_id as "burialId"`,
    );
    for (const { key, burialId } of moved)
      await recordAction(tx, operator, { action, target: key, details: { burialId } });
    return ok({ moved: moved.length, unchanged: letters.length - moved.length });
  });
}

/** What an operator found out, and what is to become of a message that did not arrive. */
export type Finding = { answer: "arrived" } | { answer: "not_arrived"; next: "send_again" | "stay_dead" };

export interface Resolved {
  state: "delivered" | "dead";
  /** The redrive of one that sends it again. */
  redriveId: string | null;
}

/**
 * Ends an unknown outcome by what an operator found out (DESIGN: unknown is never forgotten). "It arrived" is positive
 * evidence: `delivered`. "It did not" clears the doubt: the letter stays dead with the reason it would have had, or goes
 * again as a redrive of one, through admission like everything else. Compare-and-set on the burial.
 */
export async function resolveUnknown(
  letter: DeadLetterName,
  finding: Finding,
  operator: Operator,
): Promise<Result<Resolved>> {
  if (operator.reason.trim() === "")
    return invalid("reason", operator.reason, "a reason that others will understand");
  if (!isId(letter.deliveryId) || !isId(letter.burialId))
    return fail({ code: "not_found", what: "dead letter" });
  return transact(async (tx): Promise<Result<Resolved>> => {
    await lockDeliveries(tx, [letter.deliveryId]);
    const [facts] = await readDeadFacts(tx, sql`d.id = ${letter.deliveryId}::uuid`, { own: null, limit: 1 });
    if (facts === undefined) return fail({ code: "not_found", what: "dead letter" });
    if (facts.state === "delivered") return ok({ state: "delivered", redriveId: null });
    if (facts.state !== "dead" || facts.burialId !== letter.burialId || facts.reason !== "outcome_unknown")
      return fail({
        code: "conflict",
        why: "It has changed meanwhile, and its outcome is not in question any more.",
      });
    if (facts.inOtherRedrive) return fail({ code: "conflict", why: "An unfinished redrive has it." });
    const action = await recordAction(tx, operator, {
      action: finding.answer === "arrived" ? "resolve-arrived" : "resolve-not-arrived",
      target: facts.key,
      details: { burialId: letter.burialId, ...("next" in finding ? { next: finding.next } : {}) },
    });
    if (finding.answer === "arrived") {
      await markArrived(tx, letter.deliveryId, action);
      return ok({ state: "delivered", redriveId: null });
    }
    if (finding.next === "send_again") {
      const nowMs = await ledgerNowMs(tx);
      const verdict = redriveVerdict(
        { ...facts, unresolvedSinceMs: null },
        { nowMs, includesAmbiguous: false },
      );
      if (verdict !== "would_send") throw new NotSendable(verdictWords(verdict));
    }
    await markNotArrived(tx, letter.deliveryId, action);
    const redriveId = finding.next === "send_again" ? await redriveResolved(tx, facts, operator) : null;
    return ok({ state: "dead", redriveId });
  }).catch((error: unknown) => {
    // Thrown, so that the recorded answer goes with it: nothing was done.
    if (error instanceof NotSendable)
      return fail({ code: "conflict", why: `It cannot be sent again because ${error.message}.` });
    throw error;
  });
}

class NotSendable extends Error {}

async function markArrived(tx: Transaction, id: string, action: string): Promise<void> {
  await rows(
    tx,
    sql`update deliveries set state = 'delivered', reason = null, wish = null, unresolved_since = null, reconcile_at = null,
        dismissed_at = null, acknowledged = false, resolution_id = ${action}::uuid, finished_at = ledger_now()
      where id = ${id}::uuid`,
  );
}

/** The reason that it would have had; a wish that is no death (cancelled, expired) is judged anew by every redrive. */
async function markNotArrived(tx: Transaction, id: string, action: string): Promise<void> {
  const deaths = DEAD_REASONS.filter((reason) => reason !== "outcome_unknown").join(",");
  await rows(
    tx,
    sql`update deliveries set
        reason = case when wish = any(string_to_array(${deaths}, ',')) then wish else 'attempts_exhausted' end,
        wish = null, unresolved_since = null, reconcile_at = null, acknowledged = false, resolution_id = ${action}::uuid
      where id = ${id}::uuid`,
  );
}

/** A redrive of one, started by the answer that made it possible. */
async function redriveResolved(tx: Transaction, facts: DeadFacts, operator: Operator): Promise<string> {
  const id = effects.newId();
  await rows(
    tx,
    sql`insert into redrives (id, origin, state, filter, includes_ambiguous, members, would_send, preview, previewed_by,
        operator, reason, created_at, started_at, resumed_at)
      values (${id}::uuid, 'resolution', 'running', '{}'::jsonb, false, 1, 1, 'null'::jsonb, ${operator.name}, ${operator.name},
        ${operator.reason}, ledger_now(), ledger_now(), ledger_now())`,
  );
  await rows(
    tx,
    sql`insert into redrive_members (redrive_id, delivery_id, burial_id, partition, position, reason, verdict, state, active)
      select ${id}::uuid, d.id, d.burial_id, d.partition, 0, d.reason, 'would_send', 'pending', true
      from deliveries d where d.id = ${facts.id}::uuid`,
  );
  await rows(
    tx,
    sql`insert into redrive_partitions (redrive_id, partition, released, canary_from, next_at, pace)
      values (${id}::uuid, ${facts.partition}, 0, 0, ledger_now(), 0)`,
  );
  await callDriver(tx, id);
  return id;
}
