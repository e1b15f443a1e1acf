import { sql } from "drizzle-orm";
import { rows, transact } from "../connection";
import { type CapacityForecast, forecastBurst } from "../rules/capacity";
import { SHIPMENT_USEFUL_MS } from "../rules/shipment-status";

/** What a burst would meet in one partition, and what would become of it. */
export interface PartitionCapacity {
  partition: string;
  channel: string;
  /** Accepted per second over the last minute and the last five, as the ledger saw it. */
  acceptedLastMinute: number;
  acceptedLastFive: number;
  /** What the meter allows now, at most the ceiling. */
  rate: number;
  headroom: number;
  /** What the bulk lane gets of it, and where that number comes from. */
  perSecond: number;
  from: "observed" | "meter";
  /** Of the last five minutes, what goes before bulk: `urgent` and `standard`, per second. */
  arrivalsPerSecond: number;
  /** Cost that waits, due by now. */
  backlogCost: number;
  /** Age of the oldest that is ready, in milliseconds; null when nothing is. */
  oldestMs: number | null;
  forecast: CapacityForecast;
}

/** Counting on would cost more than knowing better is worth. */
const BACKLOG_ROWS_MAX = 200_000;

/** An accepted rate says what a partition can do only while it had something to do. */
const BUSY_BACKLOG_SECONDS = 5;

/**
 * What a burst of `burstCost` calls would meet in every partition: arrivals, service rate, backlog, drain, ages and what
 * would expire. The service rate is the observed one where there is a backlog, else the meter's; bulk's share of it.
 */
export async function readCapacity(burstCost: number): Promise<PartitionCapacity[]> {
  const found = await transact((tx) =>
    rows<Omit<PartitionCapacity, "perSecond" | "from" | "forecast">>(
      tx,
      sql`select p.key as partition, p.channel, p.headroom, least(m.rate, p.ceiling, coalesce(m.observed_ceiling, p.ceiling)) as rate,
          (select coalesce(sum(d.cost), 0) / 60.0 from attempts a join deliveries d on d.id = a.delivery_id
            where a.begun_at > ledger_now() - interval '1 minute' and a.class = 'accepted' and d.partition = p.key)::float8
            as "acceptedLastMinute",
          (select coalesce(sum(d.cost), 0) / 300.0 from attempts a join deliveries d on d.id = a.delivery_id
            where a.begun_at > ledger_now() - interval '5 minutes' and a.class = 'accepted' and d.partition = p.key)::float8
            as "acceptedLastFive",
          (select coalesce(sum(d.cost), 0) / 300.0 from attempts a join deliveries d on d.id = a.delivery_id
            where a.begun_at > ledger_now() - interval '5 minutes' and a.number = 1 and d.partition = p.key
              and d.lane in ('urgent', 'standard'))::float8 as "arrivalsPerSecond",
          (select coalesce(sum(w.cost), 0) from (select cost from deliveries d where d.partition = p.key and d.state = 'ready'
            limit ${BACKLOG_ROWS_MAX}) w)::float8 as "backlogCost",
          (select epoch_ms(ledger_now()) - min(w.at) from (select epoch_ms(d.scheduled_at) as at from deliveries d
            where d.partition = p.key and d.state = 'ready' limit ${BACKLOG_ROWS_MAX}) w) as "oldestMs"
        from partitions p join meters m on m.key = p.key order by p.key`,
    ),
  );
  return found.map((row) => {
    const isBusy = row.backlogCost > row.rate * BUSY_BACKLOG_SECONDS && row.acceptedLastMinute > 0;
    const perSecond = isBusy ? row.acceptedLastMinute : row.rate * (1 - row.headroom);
    const { backlogCost, arrivalsPerSecond } = row;
    const forecast = forecastBurst({
      backlogCost,
      burstCost,
      perSecond,
      // What was accepted holds the arrivals already served; without headroom they take from bulk's share.
      arrivalsPerSecond: isBusy || row.headroom > 0 ? 0 : arrivalsPerSecond,
      usefulMs: SHIPMENT_USEFUL_MS,
    });
    return { ...row, perSecond, from: isBusy ? "observed" : "meter", forecast };
  });
}
