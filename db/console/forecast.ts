import { sql } from "drizzle-orm";
import { budgetsOf, closedBy, readPartition } from "../admission/partitions";
import { ledgerNowMs, rows, type Transaction, uuids } from "../connection";
import { type Forecast, forecastDelivery, laneShareOf } from "../rules/forecast";
import { meteredCost } from "../rules/meter";
import type { Lane } from "../rules/outcome";

/** Beyond this the answer is "hours", and counting on would cost more than knowing it better is worth. */
const AHEAD_MAX = 20_000;

interface WaitingRow {
  id: string;
  partition: string;
  lane: Lane;
  eligibleAtMs: number;
  aheadCost: number;
}

/**
 * When waiting deliveries are expected to leave, by the one forecast (`db/rules/forecast.ts`): what stands before each in
 * its lane, the lane's share of the present rate, and what closes its partition. Deliveries that do not wait, or for
 * which nobody can know, are absent.
 */
export async function forecastDeliveries(
  tx: Transaction,
  deliveryIds: readonly string[],
): Promise<Map<string, Forecast>> {
  const waiting = await readWaiting(tx, deliveryIds);
  const forecasts = new Map<string, Forecast>();
  for (const key of new Set(waiting.map((row) => row.partition))) {
    const partition = await readPartition(tx, key);
    if (partition === null) continue;
    const nowMs = await ledgerNowMs(tx);
    const lanes = await readLanes(tx, key);
    const gate = closedBy(partition, nowMs);
    const closedUntilMs = gate === null ? null : (gate.untilMs ?? Number.POSITIVE_INFINITY);
    for (const row of waiting.filter((entry) => entry.partition === key)) {
      const forecast = forecastDelivery({
        nowMs,
        eligibleAtMs: row.eligibleAtMs,
        aheadCost: meteredCost(row.aheadCost, row.lane, partition.headroom),
        laneShare: laneShareOf(row.lane, lanes),
        budgets: budgetsOf(partition),
        closedUntilMs,
      });
      if (forecast !== null) forecasts.set(row.id, forecast);
    }
  }
  return forecasts;
}

/** A ready row stands behind smaller passes; a row that is not due yet will stand behind what is ready now. */
function readWaiting(tx: Transaction, deliveryIds: readonly string[]): Promise<WaitingRow[]> {
  return rows<WaitingRow>(
    tx,
    sql`select d.id, d.partition, d.lane, epoch_ms(coalesce(d.next_eligible_at, d.scheduled_at)) as "eligibleAtMs",
        coalesce((select sum(a.cost) from (select r.cost from deliveries r
          where r.partition = d.partition and r.lane = d.lane and r.state = 'ready' and r.id <> d.id
            and (d.state <> 'ready' or (r.pass, r.id) < (d.pass, d.id))
          limit ${AHEAD_MAX}) a), 0)::float8 as "aheadCost"
      from deliveries d
      where d.id = any(${uuids(deliveryIds)}) and d.state in ('scheduled', 'ready', 'deferred') and d.partition is not null`,
  );
}

function readLanes(tx: Transaction, key: string): Promise<{ lane: string; weight: number; busy: boolean }[]> {
  return rows<{ lane: string; weight: number; busy: boolean }>(
    tx,
    sql`select l.lane, l.weight, exists (select 1 from deliveries d
          where d.partition = l.partition and d.lane = l.lane and d.state = 'ready') as busy
      from lanes l where l.partition = ${key}`,
  );
}
