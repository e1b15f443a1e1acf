import { sql } from "drizzle-orm";
import { rows, transact } from "../connection";
import { forecastBurst } from "../rules/capacity";
import { SHIPMENT_USEFUL_MS } from "../rules/shipment-status";

/** The announced scans that were recorded within one minute, and what became of their updates. */
export interface ImportView {
  atMs: number;
  scans: number;
  fannedOut: number;
  deliveries: number;
  sent: number;
  waiting: number;
  skipped: number;
  superseded: number;
  pastDeadline: number;
  dead: number;
  /** Ages of what was sent, from the scan's arrival, in milliseconds; null while nothing was. */
  p50AgeMs: number | null;
  p99AgeMs: number | null;
  /** From the scans' arrival to the last send so far. */
  tookMs: number | null;
  /** The first update of it that stops being of use. */
  expiresAtMs: number | null;
  /** The forecast of its end that was written down then; null where it was over before one was. */
  foretold: ForetoldEnd | null;
  /** What the rule says of as many deliveries at the present rates of their partitions. */
  forecastDrainMs: number | null;
  forecastP50AgeMs: number | null;
  forecastP99AgeMs: number | null;
}

/**
 * What the pump wrote down of the delivery of an import that stood last (`sampleForecasts`), as soon as everything of it
 * stood there: until when, from the scans' arrival, it would be sent, and when it was. In milliseconds.
 */
export interface ForetoldEnd {
  expectedMs: number;
  earliestMs: number;
  latestMs: number;
  /** Null until that delivery is accepted. */
  happenedMs: number | null;
}

type ImportRow = Omit<ImportView, "forecastDrainMs" | "forecastP50AgeMs" | "forecastP99AgeMs"> & {
  perSecond: number | null;
};

/** One screen; a day's trickle of single scans is not an import. */
const IMPORTS_MAX = 30;
const SCANS_MIN = 2;

/** Imports of the last day, newest first: progress, ages, forecast, and what may expire. */
export async function readImports(): Promise<ImportView[]> {
  const found = await transact((tx) =>
    rows<ImportRow>(
      tx,
      sql`with imports as (
          select date_trunc('minute', recorded_at) as at, array_agg(id) as ids, count(*)::int as scans,
            count(fanned_out_at)::int as "fannedOut", min(recorded_at) as first, max(fanned_out_at) as "completeAt",
            count(*) = count(fanned_out_at) as complete
          from shipment_events where version is not null and recorded_at > ledger_now() - interval '1 day'
          group by 1 having count(*) >= ${SCANS_MIN} order by 1 desc limit ${IMPORTS_MAX}
        )
        select epoch_ms(i.first) as "atMs", i.scans, i."fannedOut", s.* from imports i, lateral (
          select count(*)::int as deliveries,
            count(*) filter (where d.state = 'delivered')::int as sent,
            count(*) filter (where d.state in ('scheduled', 'ready', 'sending', 'deferred'))::int as waiting,
            count(*) filter (where d.state = 'expired' and d.reason not in ('superseded', 'past_deadline'))::int as skipped,
            count(*) filter (where d.reason = 'superseded')::int as superseded,
            count(*) filter (where d.reason = 'past_deadline')::int as "pastDeadline",
            count(*) filter (where d.state = 'dead')::int as dead,
            percentile_disc(0.5) within group (order by epoch_ms(d.latest_attempt_at) - epoch_ms(d.scheduled_at))
              filter (where d.state = 'delivered') as "p50AgeMs",
            percentile_disc(0.99) within group (order by epoch_ms(d.latest_attempt_at) - epoch_ms(d.scheduled_at))
              filter (where d.state = 'delivered') as "p99AgeMs",
            max(epoch_ms(d.finished_at)) filter (where d.state = 'delivered') - epoch_ms(i.first) as "tookMs",
            min(epoch_ms(d.expires_at)) filter (where d.state in ('scheduled', 'ready', 'deferred')) as "expiresAtMs",
            (select sum(least(m.rate, p.ceiling) * (1 - p.headroom)) from partitions p join meters m on m.key = p.key
              where p.key in (select distinct dd.partition from deliveries dd where dd.shipment_event_id = any(i.ids)))
              as "perSecond",
            (select jsonb_build_object('expectedMs', epoch_ms(f.expected_at) - epoch_ms(i.first),
                'earliestMs', epoch_ms(f.earliest_at) - epoch_ms(i.first),
                'latestMs', epoch_ms(f.latest_at) - epoch_ms(i.first),
                'happenedMs', epoch_ms(f.accepted_at) - epoch_ms(i.first))
              from forecasts f join deliveries fd on fd.id = f.delivery_id
              where fd.shipment_event_id = any(i.ids) and i.complete and f.made_at >= i."completeAt"
              order by f.made_at, f.expected_at desc limit 1) as foretold
          from deliveries d where d.shipment_event_id = any(i.ids)) s
        order by i.at desc`,
    ),
  );
  return found.map(({ perSecond, ...row }) => {
    const forecast = forecastBurst({
      backlogCost: 0,
      burstCost: row.sent + row.waiting,
      perSecond: perSecond ?? 0,
      arrivalsPerSecond: 0,
      usefulMs: SHIPMENT_USEFUL_MS,
    });
    return {
      ...row,
      forecastDrainMs: forecast.drainMs,
      forecastP50AgeMs: forecast.p50AgeMs,
      forecastP99AgeMs: forecast.p99AgeMs,
    };
  });
}
