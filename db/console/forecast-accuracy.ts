import { sql } from "drizzle-orm";
import { alone } from "../connection";

/** How good the forecasts of a channel and lane were, over the deliveries that were accepted since. */
export interface ForecastAccuracy {
  channel: string;
  lane: string;
  count: number;
  /** Accepted minus expected: above 0 is later than was said. Median, in milliseconds. */
  errorP50Ms: number;
  /** Of the error without its sign. */
  absoluteP50Ms: number;
  absoluteP90Ms: number;
  /** Share accepted between the earliest and the latest instant that was named. */
  withinRange: number;
}

/** Reads the accuracy of what was forecast of deliveries accepted in the last `sinceMs`. */
export function readForecastAccuracy(sinceMs: number): Promise<ForecastAccuracy[]> {
  return alone<ForecastAccuracy>(
    sql`select channel, lane, count(*)::int as count,
        percentile_cont(0.5) within group (order by error) as "errorP50Ms",
        percentile_cont(0.5) within group (order by abs(error)) as "absoluteP50Ms",
        percentile_cont(0.9) within group (order by abs(error)) as "absoluteP90Ms",
        avg(case when is_within then 1.0 else 0 end)::float8 as "withinRange"
      from (
        select d.channel, d.lane, epoch_ms(f.accepted_at) - epoch_ms(f.expected_at) as error,
          f.accepted_at between f.earliest_at and f.latest_at as is_within
        from forecasts f join deliveries d on d.id = f.delivery_id
        where f.accepted_at >= ledger_now() - ${sinceMs}::float8 * interval '1 millisecond'
      ) e group by channel, lane order by channel, lane`,
  );
}
