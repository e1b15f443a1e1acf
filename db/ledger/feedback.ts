import { sql } from "drizzle-orm";
import { at, rows, type Transaction } from "../connection";
import { feedAccepted, feedThrottled, type Meter } from "../rules/meter";
import type { SettledCall } from "./settle";
import type { Decided } from "./settle-rows";

/** How many of the partition's last answers in a row were refusals of unknown scope; 1 when none is in question. */
export async function countUnknownRefusals(
  tx: Transaction,
  partition: string,
  calls: readonly SettledCall[],
): Promise<number> {
  const unknown = calls.filter((call) => "scope" in call.outcome && call.outcome.scope === "unknown");
  if (unknown.length === 0) return 1;
  // "In a row" looks back a minute: older refusals say nothing about the present.
  const [row] = await rows<{ inRow: number }>(
    tx,
    sql`select count(distinct destination_id)::int as "inRow" from (
        select d.destination_id, a.class, bool_and(a.class in ('throttled', 'config_rejected')) over (
          order by a.settled_at desc, a.id) as unbroken
        from attempts a join deliveries d on d.id = a.delivery_id
        where d.partition = ${partition} and a.begun_at > ledger_now() - interval '1 minute'
          and a.settled_at > ledger_now() - interval '1 minute'
      ) answers where unbroken`,
  );
  return Math.max(1, row?.inRow ?? 1);
}

/** The meter after these answers: gate and cut, recovery, and the ceiling that the provider names. */
export function fedMeter(
  meter: Meter,
  limits: { ceiling: number; burst: number },
  decided: readonly Decided[],
  nowMs: number,
): Meter {
  let next = meter;
  for (const { call, settlement } of decided) {
    const observedCeiling = call.observedRatePerSecond ?? next.observedCeiling;
    if (observedCeiling !== next.observedCeiling) next = { ...next, observedCeiling };
    const gate = "gate" in settlement ? settlement.gate : undefined;
    if (call.outcome.class === "accepted") {
      next = feedAccepted(next, limits, { nowMs, slotEpoch: call.epoch, callMs: call.callMs });
    } else if (call.outcome.class === "throttled" && gate?.scope === "partition") {
      next = feedThrottled(next, { nowMs, slotEpoch: call.epoch, untilMs: gate.untilMs });
    }
  }
  return next;
}

/**
 * Quota parks the partition, a configuration fault opens its circuit, and the acceptance of a probe disproves both. A
 * call that had begun before says nothing: it would open a gate that was closed after it left (P3).
 */
export async function applyPartitionFacts(
  tx: Transaction,
  partition: string,
  decided: readonly Decided[],
): Promise<void> {
  for (const { call, settlement } of decided) {
    const gate = "gate" in settlement ? settlement.gate : undefined;
    if (gate?.scope === "partition" && call.outcome.class === "quota") {
      await rows(tx, sql`update partitions set parked_until = ${at(gate.untilMs)} where key = ${partition}`);
    }
    if (gate?.scope === "partition" && call.outcome.class === "config_rejected") {
      await rows(
        tx,
        sql`update partitions set circuit = 'open', circuit_probe_at = ${at(gate.untilMs)}, circuit_reason = ${call.code ?? "rejected"}
          where key = ${partition}`,
      );
    }
  }
  const accepted = decided.filter(({ call }) => call.outcome.class === "accepted");
  if (accepted.length > 0) {
    const begunAt = at(Math.max(...accepted.map((entry) => entry.begunAtMs)));
    await rows(
      tx,
      sql`update partitions set
          circuit = case when circuit_probe_at <= ${begunAt} then 'closed' else circuit end,
          circuit_reason = case when circuit_probe_at <= ${begunAt} then null else circuit_reason end,
          circuit_probe_at = case when circuit_probe_at <= ${begunAt} then null else circuit_probe_at end,
          parked_until = case when parked_until <= ${begunAt} then null else parked_until end
        where key = ${partition} and (circuit_probe_at <= ${begunAt} or parked_until <= ${begunAt})`,
    );
  }
}
