import { sql } from "drizzle-orm";
import { lockMeter, type PartitionFacts, readPartition, storeMeter } from "../admission/partitions";
import { at, ledgerNowMs, rows, type Transaction, transact, uuids } from "../connection";
import { effects } from "../effects";
import { type ClaimFacts, decideClaim, type RefusalReason } from "../rules/claim";
import { type Gate, gateOf } from "../rules/gate";
import { reserveSlots, slotToleranceMs } from "../rules/meter";
import type { Channel, Lane } from "../rules/outcome";
import { REPEAT_BY_CHANNEL } from "../rules/repeat-policy";
import { FAILURE_BUDGET, leaseMs } from "../rules/retry-policy";
import { endWaiting, giveBack } from "./expire";

/** What a call needs, all of it immutable for this delivery. */
export interface Claim {
  deliveryId: string;
  key: string;
  reference: string;
  channel: Channel;
  lane: Lane;
  partition: string;
  attemptId: string;
  attemptNumber: number;
  token: number;
  epoch: number;
  /** How long from now until the granted slot; the caller counts on its monotonic clock. */
  slotInMs: number;
  /** How late after the slot the call may still leave. */
  toleranceMs: number;
  /** How long from now until the lease ends. */
  leaseInMs: number;
  expiresInSeconds: number;
  content: unknown;
  contentHash: string;
  /** Whether the content hashes to what the first attempt stored. */
  sameContent: boolean;
  destination: { address: string; p256dh: string | null; auth: string | null };
}

export interface ClaimGroupInput {
  partition: string;
  channel: Channel;
  deliveryIds: readonly string[];
  runId: string;
  /** Hash of what the provider would be sent: a pure function of content, destination and reference. */
  hashContent: (row: { content: unknown; destination: Claim["destination"]; reference: string }) => string;
}

export interface ClaimGroupOutcome {
  begun: Claim[];
  /** Rows that this run has nothing more to do with. */
  refused: { deliveryId: string; reason: RefusalReason | "ended" | "held" }[];
  /** Rows whose instant has not come; the earliest wait in milliseconds from now. */
  laterInMs: number | null;
  /** Set when the meter granted fewer than asked: ask again after this wait. */
  retryInMs: number | null;
  /** Set when the partition lets nothing through: everything goes back. */
  gate: Gate | null;
}

/** Rows that a claim looks at in one go: a group of slots is never larger at any sensible rate. */
const GROUP_MAX = 100;

/**
 * Reserves slots for the next group of a parcel and begins its attempts, in one transaction (P3, P6, P7).
 *
 * Lock order: deliveries by id, then the meter. Everything else is re-read in a second statement after the locks, so
 * that a cancel, an edit, an opt-out or a pause that committed first wins. The clock is read after the meter's lock.
 * Each begun row is `sending` with a new fencing token, a lease and an `attempts` row.
 *
 * A crash after it leaves leases; the sweep recovers them and records that the outcome is unknown.
 */
export async function claimGroup(input: ClaimGroupInput): Promise<ClaimGroupOutcome> {
  const ids = input.deliveryIds.slice(0, GROUP_MAX);
  return transact(async (tx) => {
    await rows(tx, sql`select id from deliveries where id = any(${uuids(ids)}) order by id for update`);
    const facts = await readClaimFacts(tx, ids);
    const partition = await readPartition(tx, input.partition);
    if (partition === null) throw new Error(`Bug! partition ${input.partition} does not exist`);
    const meter = await lockMeter(tx, input.partition);
    const nowMs = await ledgerNowMs(tx);
    const sorted = sortVerdicts(facts, partition, meter, {
      nowMs,
      runId: input.runId,
      channel: input.channel,
    });
    const gate = gateOf(partition, meter, nowMs);
    const reservation = reserveSlots(meter, partition, {
      nowMs,
      costs: sorted.go.map((row) => row.cost),
      urgent: sorted.go[0]?.lane === "urgent",
    });
    const granted = sorted.go.slice(0, reservation.slotsAtMs.length);
    if (granted.length > 0) await storeMeter(tx, input.partition, reservation.meter);
    const begun = await begin(tx, input, {
      granted,
      slotsAtMs: reservation.slotsAtMs,
      partition,
      meter,
      nowMs,
    });
    const refused = await refuse(tx, sorted, nowMs);
    const missing = ids.filter((id) => !facts.some((row) => row.id === id));
    return {
      begun,
      refused: [...refused, ...missing.map((deliveryId) => ({ deliveryId, reason: "duplicate" as const }))],
      laterInMs: sorted.laterAtMs === null ? null : Math.max(1, sorted.laterAtMs - nowMs),
      retryInMs: granted.length < sorted.go.length ? Math.max(1, reservation.retryAtMs - nowMs) : null,
      gate,
    };
  });
}

interface FactsRow extends Omit<ClaimFacts, keyof PartitionFacts> {
  id: string;
  key: string;
  reference: string;
  state: ClaimFacts["state"];
  channel: Channel;
  owner: number;
  cost: number;
  token: number;
  attemptCount: number;
  content: unknown;
  contentHash: string | null;
  address: string;
  p256dh: string | null;
  auth: string | null;
}

async function readClaimFacts(tx: Transaction, ids: readonly string[]): Promise<FactsRow[]> {
  return rows<FactsRow>(
    tx,
    sql`select d.id, d.key, d.reference, d.state, d.channel, d.lane, d.cost, d.token, d.version, d.owner,
        d.attempt_count as "attemptCount", d.failure_count as "failureCount", d.content_hash as "contentHash",
        epoch_ms(d.next_eligible_at) as "nextEligibleAtMs", epoch_ms(d.expires_at) as "expiresAtMs",
        epoch_ms(d.unresolved_since) as "unresolvedSinceMs", d.admission_id is not null as admitted, d.kept_by as "keptBy",
        ${FAILURE_BUDGET}::int as "failureBudget",
        o.state as "occurrenceState", o.version as "occurrenceVersion",
        coalesce(r.status = 'cancelled', false) as "sourceCancelled", d.notice_id is not null as "isNotice",
        dest.state as "destinationState", dest.verified_at is not null as "destinationVerified",
        dest.address, dest.p256dh, dest.auth,
        coalesce((select p.enabled from preferences p where p.subscriber_id = d.subscriber_id and p.topic = 'reminders'
          and p.channel = d.channel), true) or d.notice_id is not null as preferred,
        s.quiet_from as "quietFrom", s.quiet_until as "quietUntil", s.time_zone as "timeZone",
        pay.content is not null as "hasContent", pay.content
      from deliveries d
      join subscribers s on s.id = d.subscriber_id
      left join occurrences o on o.id = d.occurrence_id
      left join reminders r on r.id = o.reminder_id
      left join destinations dest on dest.id = d.destination_id
      left join payloads pay on pay.id = d.payload_id
      where d.id = any(${uuids(ids)})
      order by d.pass nulls last, d.next_eligible_at nulls first, d.id`,
  );
}

interface Sorted {
  go: FactsRow[];
  laterAtMs: number | null;
  refused: { row: FactsRow; reason: RefusalReason }[];
  held: { row: FactsRow; untilMs: number }[];
  ended: { row: FactsRow; reason: Parameters<typeof endWaiting>[2] }[];
}

function sortVerdicts(
  facts: readonly FactsRow[],
  partition: PartitionFacts,
  meter: { blockedUntilMs: number },
  input: { nowMs: number; runId: string; channel: Channel },
): Sorted {
  const sorted: Sorted = { go: [], laterAtMs: null, refused: [], held: [], ended: [] };
  const repeat = REPEAT_BY_CHANNEL[input.channel];
  for (const row of facts) {
    const merged: ClaimFacts = { ...partition, ...row, partitionOwner: partition.owner };
    const verdict = decideClaim(merged, meter, { nowMs: input.nowMs, runId: input.runId, repeat });
    switch (verdict.verdict) {
      case "go":
        sorted.go.push(row);
        break;
      case "later":
        sorted.laterAtMs = Math.min(sorted.laterAtMs ?? Number.POSITIVE_INFINITY, verdict.dueAtMs);
        break;
      case "refused":
        sorted.refused.push({ row, reason: verdict.reason });
        break;
      case "hold":
        sorted.held.push({ row, untilMs: verdict.untilMs });
        break;
      case "end":
        sorted.ended.push({ row, reason: verdict.reason });
        break;
    }
  }
  return sorted;
}

async function begin(
  tx: Transaction,
  input: ClaimGroupInput,
  group: {
    granted: readonly FactsRow[];
    slotsAtMs: readonly number[];
    partition: PartitionFacts;
    meter: { epoch: number };
    nowMs: number;
  },
): Promise<Claim[]> {
  if (group.granted.length === 0) return [];
  const { nowMs, partition, meter } = group;
  const toleranceMs = slotToleranceMs(partition.meter, partition);
  const claims = group.granted.map((row, index): Claim => {
    const slotAtMs = group.slotsAtMs[index] ?? nowMs;
    const destination = { address: row.address, p256dh: row.p256dh, auth: row.auth };
    const contentHash = input.hashContent({ content: row.content, destination, reference: row.reference });
    return {
      deliveryId: row.id,
      key: row.key,
      reference: row.reference,
      channel: row.channel,
      lane: row.lane,
      partition: input.partition,
      attemptId: effects.newId(),
      attemptNumber: row.attemptCount + 1,
      token: row.token + 1,
      epoch: meter.epoch,
      slotInMs: Math.max(0, slotAtMs - nowMs),
      toleranceMs,
      leaseInMs: Math.max(0, slotAtMs - nowMs) + leaseMs(row.channel),
      expiresInSeconds: Math.max(1, Math.floor((row.expiresAtMs - slotAtMs) / 1000)),
      content: row.content,
      contentHash,
      sameContent: row.contentHash === null || row.contentHash === contentHash,
      destination,
    };
  });
  const begun = JSON.stringify(
    claims.map((claim) => ({
      id: claim.deliveryId,
      attemptId: claim.attemptId,
      number: claim.attemptNumber,
      token: claim.token,
      hash: claim.contentHash,
      slotAtMs: nowMs + claim.slotInMs,
      leaseUntilMs: nowMs + claim.leaseInMs,
    })),
  );
  await rows(
    tx,
    sql`with w as (
        select * from jsonb_to_recordset(${begun}::jsonb) as w(id uuid, "attemptId" uuid, number int, token int, hash text,
          "slotAtMs" float8, "leaseUntilMs" float8)
      ), claimed as (
        update deliveries d set state = 'sending', token = w.token, attempt_count = w.number,
          content_hash = coalesce(d.content_hash, w.hash), lease_until = from_epoch_ms(w."leaseUntilMs"),
          first_attempt_at = coalesce(d.first_attempt_at, ${at(nowMs)}), latest_attempt_at = ${at(nowMs)},
          next_eligible_at = null, admission_id = null, admitted_until = null, kept_by = null, kept_until = null
        from w where d.id = w.id returning d.id
      )
      insert into attempts (id, delivery_id, number, token, run_id, epoch, slot_at, begun_at)
      select w."attemptId", w.id, w.number, w.token, ${input.runId}, ${meter.epoch}, from_epoch_ms(w."slotAtMs"), ${at(nowMs)}
      from w join claimed on claimed.id = w.id`,
  );
  return claims;
}

async function refuse(tx: Transaction, sorted: Sorted, nowMs: number): Promise<ClaimGroupOutcome["refused"]> {
  const refused: ClaimGroupOutcome["refused"] = sorted.refused.map(({ row, reason }) => ({
    deliveryId: row.id,
    reason,
  }));
  const refusedFor = (reasons: readonly RefusalReason[]) =>
    sorted.refused.filter(({ reason }) => reasons.includes(reason)).map(({ row }) => row.id);
  // A row that another run holds, or that has ended, is not ours to touch.
  await giveBack(tx, refusedFor(["gate", "stale_owner", "not_eligible"]));
  // Nothing may be repeated any more: the outcome stays unknown and needs a person or a receipt.
  await endWaiting(tx, refusedFor(["unresolved"]), "outcome_unknown");
  for (const { row, untilMs } of sorted.held) {
    await rows(
      tx,
      sql`update deliveries set state = 'scheduled', next_eligible_at = ${at(Math.max(untilMs, nowMs + 1))},
          last_class = 'quiet_hours', pass = null, admission_id = null, admitted_until = null, kept_by = null, kept_until = null
        where id = ${row.id}`,
    );
    refused.push({ deliveryId: row.id, reason: "held" });
  }
  for (const { row, reason } of sorted.ended) {
    await endWaiting(tx, [row.id], reason);
    refused.push({ deliveryId: row.id, reason: "ended" });
  }
  return refused;
}
