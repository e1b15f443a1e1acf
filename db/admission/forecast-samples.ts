import { type SQL, sql } from "drizzle-orm";
import { rows, transact, uuids } from "../connection";
import { forecastDeliveries } from "../console/forecast";

/**
 * Writes down what is forecast now of a few waiting deliveries of a partition: the last in each lane and the next that
 * becomes due, each once. Returns how many. Losing a sample loses nothing else.
 */
export async function sampleForecasts(partition: string): Promise<number> {
  return transact(async (tx) => {
    const chosen = await rows<{ id: string }>(
      tx,
      sql`select s.id from (
          select last.id from unnest(array['urgent', 'standard', 'bulk', 'redrive']) as l(lane), lateral (
            select d.id from deliveries d where d.partition = ${partition} and d.lane = l.lane and d.state = 'ready'
            order by d.pass desc, d.id desc limit 1) last
          union all
          (select d.id from deliveries d where d.partition = ${partition} and d.state in ('scheduled', 'deferred')
            order by d.next_eligible_at limit 1)
        ) s where not exists (select 1 from forecasts f where f.delivery_id = s.id)`,
    );
    if (chosen.length === 0) return 0;
    const forecasts = await forecastDeliveries(
      tx,
      chosen.map((row) => row.id),
    );
    const given = [...forecasts].map(([deliveryId, forecast]) => ({ deliveryId, ...forecast }));
    const made = await rows(
      tx,
      sql`insert into forecasts (delivery_id, made_at, earliest_at, expected_at, latest_at)
        select w."deliveryId", ledger_now(), from_epoch_ms(w."earliestMs"), from_epoch_ms(w."expectedMs"), from_epoch_ms(w."latestMs")
        from jsonb_to_recordset(${JSON.stringify(given)}::jsonb)
          as w("deliveryId" uuid, "earliestMs" float8, "expectedMs" float8, "latestMs" float8)
        on conflict do nothing returning delivery_id`,
    );
    return made.length;
  });
}

/** The statement that notes when forecast deliveries were accepted. */
export function notingAcceptance(deliveryIds: readonly string[]): SQL {
  return sql`update forecasts set accepted_at = ledger_now()
    where delivery_id = any(${uuids(deliveryIds)}) and accepted_at is null`;
}
