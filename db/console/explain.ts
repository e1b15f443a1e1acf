import { sql } from "drizzle-orm";
import { closedBy, readPartition } from "../admission/partitions";
import { ledgerNowMs, rows, transact } from "../connection";
import { type ClaimFactsRow, readingClaimFacts } from "../ledger/claim-facts";
import { type ExplainFacts, type ExplainStep, explainDelivery } from "../rules/explain";
import { isId } from "../rules/id";

export interface Explanation {
  key: string;
  reference: string;
  state: string;
  reason: string | null;
  atMs: number;
  steps: ExplainStep[];
}

type More = Pick<
  ExplainFacts,
  "reason" | "lastClass" | "pass" | "ahead" | "laneWeight" | "partition" | "attempts" | "throttleCount"
>;

/** Beyond this the answer is "many", and counting on would scan what nobody reads. */
const AHEAD_MAX = 10_000;

/**
 * Why a delivery is where it is: the chain preference → consent → quiet hours → cap → lane → gate → provider with rule and
 * value at each step. Found by its key, its reference or its id; null when there is none.
 */
export async function explain(name: string): Promise<Explanation | null> {
  return transact(async (tx) => {
    const [found] = await rows<{ id: string }>(
      tx,
      // Each by its own index: an id that is compared as text would be looked for row by row.
      isId(name)
        ? sql`select id from deliveries where id = ${name}::uuid`
        : sql`select id from deliveries where key = ${name} union all
            select id from deliveries where reference = ${name} limit 1`,
    );
    if (found === undefined) return null;
    const [row] = await rows<ClaimFactsRow>(tx, readingClaimFacts([found.id]));
    const [more] = await rows<More>(
      tx,
      sql`select d.reason, d.last_class as "lastClass", d.pass, d.partition, d.throttle_count as "throttleCount",
          (select weight from lanes l where l.partition = d.partition and l.lane = d.lane) as "laneWeight",
          (select count(*)::int from (select 1 from deliveries a where a.partition = d.partition and a.lane = d.lane
            and a.state = 'ready' and (a.pass, a.id) < (d.pass, d.id) limit ${AHEAD_MAX}) c) as ahead,
          coalesce((select jsonb_agg(jsonb_build_object('number', a.number, 'class', a.class, 'status', a.status, 'code', a.code)
            order by a.number) from attempts a where a.delivery_id = d.id), '[]') as attempts
        from deliveries d where d.id = ${found.id}::uuid`,
    );
    if (row === undefined || more === undefined) return null;
    const partition = more.partition === null ? null : await readPartition(tx, more.partition);
    const nowMs = await ledgerNowMs(tx);
    const facts: ExplainFacts = {
      ...row,
      ...more,
      partitionOwner: partition?.owner ?? row.owner,
      rate: partition?.meter.rate ?? null,
      ceiling: partition?.ceiling ?? null,
    };
    const gate = partition === null ? null : closedBy(partition, nowMs);
    const { key, reference, state } = row;
    return {
      key,
      reference,
      state,
      reason: more.reason,
      atMs: nowMs,
      steps: explainDelivery(facts, gate, nowMs),
    };
  });
}

/** The explanation as text, one line a step: the command line prints it, the delivery's page shows it. */
export function explanationLines({ key, state, reason, steps }: Explanation): string[] {
  return [
    `${key}: ${state}${reason === null ? "" : `, ${reason}`}`,
    ...steps.map(
      ({ step, rule, value, effect }) => `  ${step.padEnd(12)} ${effect.padEnd(7)} ${rule}: ${value}`,
    ),
  ];
}
