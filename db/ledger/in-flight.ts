import { type SQL, sql } from "drizzle-orm";
import { isProbed, type PartitionFacts } from "../admission/partitions";
import { isProbing } from "../rules/gate";
import { inFlightBound } from "../rules/meter";

/** Calls under way. */
export interface InFlight {
  /** Of the partition. */
  own: number;
  /** Of every partition of its account; 0 without one. */
  account: number;
}

/** The statement that counts them. */
export function countingInFlight(partition: string): SQL {
  return sql`select (select count(*)::int from deliveries where partition = ${partition} and state = 'sending') as own,
      (select count(*)::int from partitions s join deliveries d on d.partition = s.key and d.state = 'sending'
        where s.account = (select account from partitions where key = ${partition})) as account`;
}

/**
 * How many more calls may be in flight: the narrower bound of partition and account. While one of them is being probed,
 * one and no more, whoever holds the deliveries: an admission, or a run that kept them over a refusal.
 */
export function roomFor(partition: PartitionFacts, flying: InFlight): number {
  const { account } = partition;
  const own = inFlightBound(partition.meter, partition.concurrency) - flying.own;
  const shared = account === null ? own : inFlightBound(account.meter, account.concurrency) - flying.account;
  const probe = 1 - (account !== null && isProbing(account) ? flying.account : flying.own);
  return Math.max(0, Math.min(own, shared, isProbed(partition) ? probe : own));
}
