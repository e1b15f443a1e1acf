import { sql } from "drizzle-orm";
import { resumePartition, setLimits } from "../../db/admission/controls";
import { database, rows } from "../../db/connection";
import { readPartitionHealth } from "../../db/console/partitions";
import { ringPumps } from "../../inngest/dispatch";
import type { World } from "../support/world";
import type { Stage } from "./stage";

/**
 * A lease (35 s at most), the sweep's minute, the pump's minute: what may pass beside the backlog until work that a
 * fault left goes on.
 */
const RECOVERY_MS = 180_000;

/** SMS segments, when operators have put everything back. */
const SLOWEST_PER_SECOND = 1;

/** How often a recovering world is asked whether it is done. */
const LOOK_EACH_MS = 15_000;

/** Waits that began under a fault may be followed by one more; a chain that is longer never ends. */
const WAITS_MAX = 8;

/** The operators put everything back as it was: an endless pause is no fault of the system's. */
export async function settleControls(stage: Stage): Promise<void> {
  const operator = { name: "operator", reason: "the day is over" };
  for (const { partition, channel, closed, ceiling } of await readPartitionHealth()) {
    const limits = { email: 5, sms: 1, push: 100 }[channel] ?? 1;
    if (ceiling !== limits) {
      const turned = await setLimits(partition, { ceiling: limits }, operator);
      if (turned.ok) await ringPumps(turned.value.rings);
    }
    const paused = closed?.startsWith("paused") ?? false;
    if (!paused && !stage.dice.chance(0.3)) continue;
    const turned = await resumePartition(partition, operator);
    if (turned.ok) await ringPumps(turned.value.rings);
  }
}

interface Rest {
  key: string;
  /** The instant that it waits for: its own next time, or the end of what closes its partition. */
  untilMs: number | null;
}

/** What is due and has not ended, with what it waits for. Work for later is not late. */
async function readRest(nowMs: number): Promise<Rest[]> {
  const deliveries = await rows<Rest>(
    database(),
    sql`select d.key, epoch_ms(greatest(d.next_eligible_at, m.blocked_until, p.parked_until, p.circuit_probe_at, d.kept_until,
          d.lease_until)) as "untilMs"
      from deliveries d join partitions p on p.key = d.partition join meters m on m.key = p.key
      where d.state in ('scheduled', 'ready', 'sending', 'deferred')
        and not (d.state = 'scheduled' and d.next_eligible_at > ledger_now()) order by d.key`,
  );
  const occurrences = await rows<Rest>(
    database(),
    sql`select id::text as key, null as "untilMs" from occurrences where state = 'waiting' and due_at <= ledger_now()
      order by id`,
  );
  const scans = await rows<Rest>(
    database(),
    sql`select id::text as key, null as "untilMs" from shipment_events
      where version is not null and fanned_out_at is null order by id`,
  );
  return [...deliveries, ...occurrences, ...scans].map((row) =>
    row.untilMs !== null && row.untilMs > nowMs ? row : { ...row, untilMs: null },
  );
}

/** Lets the world recover; answers what did not although nothing stood in its way any more. */
export async function drain(stage: Stage): Promise<string[]> {
  const { world } = stage;
  for (let wait = 0; wait < WAITS_MAX; wait += 1) {
    const before = await readRest(world.ledgerNowMs());
    const backlogMs = (before.length / SLOWEST_PER_SECOND) * 1000 * 1.1;
    const asked = Math.max(0, ...before.map((row) => (row.untilMs ?? 0) - world.ledgerNowMs()));
    const left = await restAfter(world, asked + backlogMs + RECOVERY_MS);
    if (left.every((row) => row.untilMs !== null)) {
      if (left.length === 0) return [];
      continue;
    }
    // What came due just now has had no time yet.
    const stuck = new Set(before.map((row) => row.key));
    const late = left.filter((row) => row.untilMs === null && stuck.has(row.key));
    if (late.length > 0) return late.map((row) => row.key);
  }
  return (await readRest(world.ledgerNowMs())).map((row) => row.key);
}

/** What is left after that time; an early end is one, and the quiet minutes after it show nothing. */
async function restAfter(world: World, ms: number): Promise<Rest[]> {
  const untilMs = world.nowMs() + ms;
  for (;;) {
    await world.advance(Math.min(LOOK_EACH_MS, untilMs - world.nowMs()));
    const left = await readRest(world.ledgerNowMs());
    if (left.length === 0 || world.nowMs() >= untilMs) return left;
  }
}
