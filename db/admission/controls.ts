import { sql } from "drizzle-orm";
import { markUncertain } from "../cleanup/certainty";
import { at, ledgerNowMs, rows, type Transaction, transact, uuids } from "../connection";
import { type Operator, recordAction } from "../operator-actions";
import { fail, invalid, ok, type Result } from "../rules/errors";
import { LANES } from "../rules/fair-share";
import type { Lane } from "../rules/outcome";
import { readPartition } from "./partitions";
import type { Ring } from "./pump";

export type { Operator };

/** `rings`: the pump of what was turned, and those of the partitions that name it as their account. */
export type ControlOutcome = Result<{ partition: string; rings: Ring[] }>;

/** Limits beyond every provider's; a typing error should not become a flood. */
const CEILING_MAX = 10_000;
const CONCURRENCY_MAX = 1_000;

/** A resumed partition starts at this share of its ceiling and recovers with its successes, as after a cut. */
const RESUME_SHARE = 0.2;

/**
 * Turns one control of a partition: the change, its audit row and a new pump generation in one transaction. It acts at
 * the next admission and the next claim, without a deploy; the caller rings the pumps after the commit. Null from `change`:
 * there is nothing to turn.
 */
export async function control(
  key: string,
  operator: Operator,
  action: string,
  change: (tx: Transaction, nowMs: number) => Promise<Record<string, unknown> | null>,
): Promise<ControlOutcome> {
  if (operator.reason.trim() === "")
    return invalid("reason", operator.reason, "a reason that others will understand");
  // The key may be what stood in somebody's request.
  if (typeof key !== "string" || key.includes("\0")) return fail({ code: "not_found", what: "partition" });
  return transact(async (tx): Promise<ControlOutcome> => {
    const before = await readPartition(tx, key, { lock: true });
    if (before === null) return fail({ code: "not_found", what: "partition" });
    const details = await change(tx, await ledgerNowMs(tx));
    if (details === null) return fail({ code: "not_found", what: `what ${action} turns` });
    const rings = await rows<Ring>(
      tx,
      sql`with turned as (select key from partitions where key = ${key} or account = ${key} order by key for no key update)
        update partitions p set pump_generation = pump_generation + 1, pump_until = ledger_now() + interval '30 seconds'
        from turned where p.key = turned.key returning p.key as partition, pump_generation::int as generation`,
    );
    rings.sort((one, other) => (one.partition < other.partition ? -1 : 1));
    await recordAction(tx, operator, { action, target: key, details });
    return ok({ partition: key, rings });
  });
}

/**
 * Sets what a partition may send: `ceiling` per second (0 is a pause), `burst`, and calls in flight. With `forMs` the
 * limits of before come back by themselves; without it these stay.
 */
export async function setLimits(
  key: string,
  limits: { ceiling?: number; burst?: number; concurrency?: number },
  operator: Operator,
  forMs: number | null = null,
): Promise<ControlOutcome> {
  const { ceiling, burst, concurrency } = limits;
  if (forMs !== null && !(forMs > 0)) return invalid("for", forMs, "a duration above 0");
  if (ceiling !== undefined && !(ceiling >= 0 && ceiling <= CEILING_MAX)) {
    return invalid("ceiling", ceiling, `a number from 0 to ${CEILING_MAX} per second`);
  }
  if (burst !== undefined && !(burst >= 1 && burst <= CEILING_MAX)) {
    return invalid("burst", burst, `a number from 1 to ${CEILING_MAX}`);
  }
  if (
    concurrency !== undefined &&
    !(Number.isInteger(concurrency) && concurrency >= 1 && concurrency <= CONCURRENCY_MAX)
  ) {
    return invalid("concurrency", concurrency, `a whole number from 1 to ${CONCURRENCY_MAX}`);
  }
  return control(key, operator, "limits", async (tx, nowMs) => {
    const until = forMs === null ? null : nowMs + forMs;
    // What was before the first of several changes for a while is what comes back.
    await rows(
      tx,
      sql`update partitions set
          limits_before = case when ${until}::float8 is null then null else coalesce(limits_before,
            jsonb_build_object('ceiling', ceiling, 'burst', burst, 'concurrency', concurrency)) end,
          limits_until = from_epoch_ms(${until}::float8),
          ceiling = coalesce(${ceiling ?? null}::float8, ceiling),
          burst = coalesce(${burst ?? null}::float8, burst),
          concurrency = coalesce(${concurrency ?? null}::int, concurrency) where key = ${key}`,
    );
    return { ...limits, untilMs: until };
  });
}

/** Who acts when nobody does: the audit log names it where a change ends by itself. */
export const BY_ITSELF = "punctual";

/** Partitions whose limits lapse in one sweep; there are a handful of partitions in all. */
const LAPSED_MAX = 100;

/** Puts back the limits that were changed for a while, once it is over. The caller rings the pumps. */
export async function revertLapsedLimits(): Promise<Ring[]> {
  const lapsed = await transact((tx) =>
    rows<{ key: string }>(
      tx,
      sql`select key from partitions where limits_until <= ledger_now() order by key limit ${LAPSED_MAX}`,
    ),
  );
  const rings: Ring[] = [];
  const operator = { name: BY_ITSELF, reason: "The limits were changed for a while, and it is over." };
  for (const { key } of lapsed) {
    const outcome = await control(key, operator, "limits", async (tx) => {
      const [restored] = await rows<Record<string, unknown>>(
        tx,
        sql`update partitions set ceiling = (limits_before ->> 'ceiling')::float8, burst = (limits_before ->> 'burst')::float8,
            concurrency = (limits_before ->> 'concurrency')::int, limits_until = null, limits_before = null
          where key = ${key} and limits_until <= ledger_now() returning ceiling, burst, concurrency`,
      );
      return { ...restored };
    });
    if (outcome.ok) rings.push(...outcome.value.rings);
  }
  return rings;
}

/** Sets a lane's weight: its share of the rate beside the lanes that have work. */
export async function setLaneWeight(
  key: string,
  lane: string,
  weight: number,
  operator: Operator,
): Promise<ControlOutcome> {
  if (!LANES.includes(lane as Lane)) return invalid("lane", lane, `one of ${LANES.join(", ")}`);
  if (!(weight > 0 && weight <= 1_000)) return invalid("weight", weight, "a number above 0, at most 1000");
  return control(key, operator, "lane-weight", async (tx) => {
    await rows(tx, sql`update lanes set weight = ${weight} where partition = ${key} and lane = ${lane}`);
    return { lane, weight };
  });
}

/** Pauses a partition, until an instant or until somebody resumes it. Admitted work stops too: every claim asks. */
export async function pausePartition(
  key: string,
  forMs: number | null,
  operator: Operator,
): Promise<ControlOutcome> {
  if (forMs !== null && !(forMs > 0)) return invalid("for", forMs, "a duration above 0");
  return control(key, operator, "pause", async (tx, nowMs) => {
    const until = forMs === null ? sql`null` : at(nowMs + forMs);
    await rows(
      tx,
      sql`update partitions set paused_at = ledger_now(), paused_by = ${operator.name}, paused_reason = ${operator.reason},
          paused_until = ${until} where key = ${key}`,
    );
    return { untilMs: forMs === null ? null : nowMs + forMs };
  });
}

/**
 * Ends a pause. The rate starts low and recovers with successes, so that a held backlog does not leave in one burst. What
 * left within the last second counts (P7): one that was sending all the while gets no slots beside those it has used.
 */
export async function resumePartition(key: string, operator: Operator): Promise<ControlOutcome> {
  return control(key, operator, "resume", async (tx) => {
    await rows(
      tx,
      sql`update partitions set paused_at = null, paused_by = null, paused_reason = null, paused_until = null,
          circuit_probe_at = case when circuit = 'closed' then null else ledger_now() end,
          parked_until = case when parked_until is null then null else ledger_now() end
        where key = ${key}`,
    );
    await rows(
      tx,
      sql`update meters m set rate = greatest(0.5, least(m.rate, p.ceiling * ${RESUME_SHARE})), last_cut_at = ledger_now(),
          last_feedback_at = ledger_now(), epoch = m.epoch + 1,
          ready_at = greatest(least(m.ready_at, ledger_now() + interval '1 second'), ledger_now(), m.blocked_until)
        from partitions p where p.key = m.key and m.key = ${key}`,
    );
    return {};
  });
}

/**
 * Hands a partition to another consumer generation: rows without a lease change owner with it, rows that are being sent
 * finish as they began, and a claim of the old owner is refused. From then on the ledger is uncertain: no cleanup and no
 * redrive until queue age has been under its SLO for ten minutes.
 */
export async function setOwner(key: string, owner: number, operator: Operator): Promise<ControlOutcome> {
  if (!(Number.isInteger(owner) && owner >= 1)) return invalid("owner", owner, "a whole number from 1");
  return control(key, operator, "owner", async (tx) => {
    await rows(tx, sql`update partitions set owner = ${owner} where key = ${key}`);
    // By id, as everybody locks deliveries.
    const waiting = await rows<{ id: string }>(
      tx,
      sql`select id from deliveries where partition = ${key} and state in ('scheduled', 'ready', 'deferred')
        and owner <> ${owner} order by id for update`,
    );
    await rows(
      tx,
      sql`update deliveries set owner = ${owner} where id = any(${uuids(waiting.map((row) => row.id))})`,
    );
    await markUncertain(tx, `hand-over of ${key} to ${owner}`);
    return { owner, moved: waiting.length };
  });
}
