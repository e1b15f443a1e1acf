import { sql } from "drizzle-orm";
import { at, rows, type Transaction, uuids } from "../connection";
import { lockDeliveries } from "../ledger/lock";
import { type RedriveVerdict, redriveVerdict } from "../rules/redrive-verdict";
import { FAILURE_BUDGET } from "../rules/retry-policy";
import { readDeadFacts } from "./facts";

interface Member {
  deliveryId: string;
  burialId: string;
}

/** Members that one tick looks at, in rounds: most of a round may have become unwanted meanwhile. */
const ROUND = 200;
const ROUNDS_MAX = 5;

/**
 * Hands the next members of a redrive to admission: the same delivery, key, payload and history, `ready` again in lane
 * `redrive` with a fresh allowance beside its counters (P4). What has changed since it was chosen is skipped with its
 * verdict. Compare-and-set: only the burial that was chosen, only while it is dead.
 */
export async function releaseMembers(
  tx: Transaction,
  input: { redriveId: string; partition: string; count: number; nowMs: number },
): Promise<{ count: number; cost: number }> {
  let count = 0;
  let cost = 0;
  for (let round = 0; round < ROUNDS_MAX && count < input.count; round += 1) {
    const members = await nextMembers(tx, input, Math.min(ROUND, input.count - count));
    if (members.length === 0) break;
    const released = await releaseRound(tx, input, members);
    count += released.length;
    cost += released.reduce((sum, row) => sum + row.cost, 0);
  }
  return { count, cost };
}

function nextMembers(
  tx: Transaction,
  input: { redriveId: string; partition: string },
  limit: number,
): Promise<Member[]> {
  return rows<Member>(
    tx,
    sql`select delivery_id as "deliveryId", burial_id as "burialId" from redrive_members
      where redrive_id = ${input.redriveId}::uuid and partition = ${input.partition} and state = 'pending'
      order by position limit ${limit}`,
  );
}

async function releaseRound(
  tx: Transaction,
  input: { redriveId: string; nowMs: number },
  members: readonly Member[],
): Promise<{ id: string; cost: number }[]> {
  const { redriveId, nowMs } = input;
  const ids = members.map((member) => member.deliveryId);
  await lockDeliveries(tx, ids);
  const [redrive] = await rows<{ includesAmbiguous: boolean }>(
    tx,
    sql`select includes_ambiguous as "includesAmbiguous" from redrives where id = ${redriveId}::uuid`,
  );
  const includesAmbiguous = redrive?.includesAmbiguous ?? false;
  const facts = await readDeadFacts(tx, sql`d.id = any(${uuids(ids)})`, {
    own: redriveId,
    limit: ids.length,
  });
  const factsOf = new Map(facts.map((row) => [row.id, row]));
  const judged = members.map(({ deliveryId, burialId }) => {
    const row = factsOf.get(deliveryId);
    const same = row !== undefined && (row.state !== "dead" || row.burialId === burialId);
    const verdict: RedriveVerdict = same ? redriveVerdict(row, { nowMs, includesAmbiguous }) : "not_dead";
    return { deliveryId, verdict, cost: row?.cost ?? 1 };
  });
  await skip(
    tx,
    redriveId,
    judged.filter(({ verdict }) => verdict !== "would_send"),
  );
  const going = judged.filter(({ verdict }) => verdict === "would_send");
  await bringBack(
    tx,
    { redriveId, includesAmbiguous, nowMs },
    going.map(({ deliveryId }) => deliveryId),
  );
  return going.map(({ deliveryId, cost }) => ({ id: deliveryId, cost }));
}

async function skip(
  tx: Transaction,
  redriveId: string,
  skipped: readonly { deliveryId: string; verdict: RedriveVerdict }[],
): Promise<void> {
  if (skipped.length === 0) return;
  await rows(
    tx,
    sql`update redrive_members m set state = 'skipped', outcome = w.verdict, active = false, ended_at = ledger_now()
      from jsonb_to_recordset(${JSON.stringify(skipped)}::jsonb) as w("deliveryId" uuid, verdict text)
      where m.redrive_id = ${redriveId}::uuid and m.delivery_id = w."deliveryId"`,
  );
}

/**
 * The one way from `dead` to `ready`. Each goes behind its own flow's last ready row, or at the lane's clock; one whose
 * refusal was read when it was dead already waits for the time that was named (P3).
 */
async function bringBack(
  tx: Transaction,
  redrive: { redriveId: string; includesAmbiguous: boolean; nowMs: number },
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  // Released by a redrive that has not looked since: this death is its outcome.
  await rows(
    tx,
    sql`update redrive_members m set state = 'dead', outcome = d.reason, active = false, ended_at = d.finished_at
      from deliveries d where m.delivery_id = any(${uuids(ids)}) and m.state = 'released' and d.id = m.delivery_id`,
  );
  await rows(
    tx,
    sql`with chosen as (
        select id, partition, flow, cost, expires_at from deliveries where id = any(${uuids(ids)})
      ), behind as (
        select f.partition, f.flow, greatest(l.pass_floor, coalesce(
            (select max(r.pass) from deliveries r
              where r.partition = f.partition and r.lane = 'redrive' and r.flow = f.flow and r.state = 'ready'),
            l.pass_floor)) as base
        from (select distinct partition, flow from chosen) f
        join lanes l on l.partition = f.partition and l.lane = 'redrive'
      ), placed as (
        select chosen.id, behind.base + sum(chosen.cost) over (
          partition by chosen.partition, chosen.flow order by chosen.expires_at, chosen.id) as pass
        from chosen join behind using (partition, flow)
      )
      update deliveries d set state = 'ready', lane = 'redrive', pass = placed.pass, redrive_id = ${redrive.redriveId}::uuid,
        failure_budget = greatest(d.failure_budget, d.failure_count + ${FAILURE_BUDGET}::int),
        acknowledged = ${redrive.includesAmbiguous} and d.unresolved_since is not null,
        owner = p.owner, reason = null, wish = null, reconcile_at = null, finished_at = null, dismissed_at = null,
        next_eligible_at = case when d.next_eligible_at > ledger_now() then d.next_eligible_at end
      from placed, partitions p where d.id = placed.id and p.key = d.partition and d.state = 'dead'`,
  );
  await rows(
    tx,
    sql`update deliveries set state = 'deferred', pass = null
      where id = any(${uuids(ids)}) and state = 'ready' and next_eligible_at is not null`,
  );
  await rows(
    tx,
    sql`update redrive_members set state = 'released', released_at = ${at(redrive.nowMs)}
      where redrive_id = ${redrive.redriveId}::uuid and delivery_id = any(${uuids(ids)})`,
  );
}
