import { type SQL, sql } from "drizzle-orm";
import { at, rows, type Transaction } from "../connection";
import { effects } from "../effects";
import { feedAccepted, feedThrottled, type Meter } from "../rules/meter";
import { type Budget, epochOf } from "../rules/slots";
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

/**
 * The budgets' meters after these answers: gate and cut, recovery, and the ceiling that the provider names. A refusal of
 * the account closes and cuts the account's meter, where there is one; everything else is about the partition's own.
 */
export function fedMeters(budgets: readonly Budget[], decided: readonly Decided[], nowMs: number): Meter[] {
  const next = budgets.map((budget) => ({ ...budget }));
  const [own] = next;
  for (const { call, settlement } of decided) {
    const isCurrent = call.epoch === epochOf(next);
    // A slot that any of its budgets has cut since then says nothing about the present of the others either.
    const slotEpoch = ({ meter }: Budget) => (isCurrent ? meter.epoch : meter.epoch - 1);
    const observed = call.observedRatePerSecond;
    if (own !== undefined && observed !== null && observed !== own.meter.observedCeiling) {
      own.meter = { ...own.meter, observedCeiling: observed };
    }
    const gate = "gate" in settlement ? settlement.gate : undefined;
    if (call.outcome.class === "accepted") {
      for (const budget of next) {
        const heard = { nowMs, slotEpoch: slotEpoch(budget), callMs: call.callMs };
        budget.meter = feedAccepted(budget.meter, budget.limits, heard);
      }
    } else if (call.outcome.class === "throttled" && gate !== undefined) {
      const budget = gate.scope === "account" ? next.at(-1) : gate.scope === "partition" ? own : undefined;
      if (budget === undefined) continue;
      const heard = { nowMs, slotEpoch: slotEpoch(budget), untilMs: gate.untilMs };
      budget.meter = feedThrottled(budget.meter, heard);
    }
  }
  return next.map(({ meter }) => meter);
}

/** Whether the two decide alike, their call times apart: then nobody needs the meter's lock to store the other. */
export function sameMeter(stored: Meter, fed: Meter): boolean {
  const { callMs: _, calmCallMs: __, lastFeedbackAtMs: ___, ...rest } = stored;
  return (Object.keys(rest) as (keyof typeof rest)[]).every((name) => fed[name] === stored[name]);
}

/** A smoothed call time that moves by less changes no decision that anybody would notice: a window holds seconds. */
const CALL_TIME_SHARE = 0.05;
const CALL_TIME_SLACK_MS = 10;

/** The statement that stores one meter's call times alone, when they have moved. Whoever stores last is right. */
export function storingCallTimes(key: string, stored: Meter, fed: Meter): SQL[] {
  const near = (before: number | null, after: number | null) =>
    before !== null &&
    after !== null &&
    Math.abs(after - before) <= Math.max(CALL_TIME_SLACK_MS, before * CALL_TIME_SHARE);
  if (near(stored.callMs, fed.callMs) && near(stored.calmCallMs, fed.calmCallMs)) return [];
  return [
    sql`update meters set call_ms = ${fed.callMs}, calm_call_ms = ${fed.calmCallMs}::float8
      where key = (select key from meters where key = ${key} for no key update skip locked)`,
  ];
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
      await openNotice(tx, partition, "quota", call);
    }
    if (gate?.scope === "partition" && call.outcome.class === "config_rejected") {
      await rows(
        tx,
        sql`update partitions set circuit = 'open', circuit_probe_at = ${at(gate.untilMs)}, circuit_reason = ${call.code ?? "rejected"}
          where key = ${partition}`,
      );
      await openNotice(tx, partition, "config_rejected", call);
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
    await rows(
      tx,
      sql`update operator_notices n set closed_at = ledger_now() from partitions p
        where p.key = ${partition} and n.partition = p.key and n.closed_at is null
          and ((n.kind = 'quota' and p.parked_until is null) or (n.kind = 'config_rejected' and p.circuit = 'closed'))`,
    );
  }
}

/** Notes once what operators must know; a second answer of the same kind finds the open notice. */
async function openNotice(
  tx: Transaction,
  partition: string,
  kind: "quota" | "config_rejected",
  call: SettledCall,
): Promise<void> {
  const detail = [call.status, call.code].filter((part) => part !== null).join(" ") || kind;
  await rows(
    tx,
    sql`insert into operator_notices (id, partition, kind, detail, opened_at)
      values (${effects.newId()}::uuid, ${partition}, ${kind}, ${detail}, ledger_now())
      on conflict (partition, kind) where closed_at is null do nothing`,
  );
}
