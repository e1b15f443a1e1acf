import { NonRetriableError } from "inngest";
import { sampleForecasts } from "../../db/admission/forecast-samples";
import { handOverPump, renewPump, restPump, ringIfLive } from "../../db/admission/pump";
import { recoverLeases } from "../../db/ledger/recover";
import { pumpRungV1 } from "../../db/rules/event-catalog";
import { inngest } from "../client";
import { dispatch, ringPumps } from "../dispatch";

/** Ticks per run: two steps each, far under the engine's thousand, and a fresh run every few minutes of work. */
const TICKS_MAX = 200;

/** A tick is short; an app that restarts is back within a few retries. */
const RETRIES = 10;

/** Leases recovered per tick. */
const LEASES_PER_TICK = 200;

/** Every so many ticks what is forecast is written down for a few deliveries, to be held against what becomes of them. */
const SAMPLE_TICKS = 15;

type Tick = { next: "end"; why: string } | { next: "sleep"; ms: number };

/**
 * The pump: heartbeat of one partition, single by its generation in the ledger. Each tick recovers the partition's
 * lapsed leases, lets the next deliveries go, and decides how long to rest; it ends when nothing is live, after looking
 * once more.
 *
 * A crash, or an engine that forgets the run, leaves `pump_until` to run out; the sweep then rings a new generation.
 */
export const admitDeliveries = inngest.createFunction(
  { id: "admit-deliveries", triggers: [{ event: "partition/pump.rung" }], retries: RETRIES },
  async ({ event, step }) => {
    const parsed = pumpRungV1.safeParse(event.data);
    if (!parsed.success) throw new NonRetriableError(`partition/pump.rung: ${parsed.error.message}`);
    const ring = { partition: parsed.data.partition, generation: parsed.data.generation };
    for (let count = 0; count < TICKS_MAX; count += 1) {
      const done = await step.run(`tick-${count}`, () => tick(ring, count));
      if (done.next === "end") return { ticks: count + 1, ended: done.why };
      await step.sleep(`rest-${count}`, done.ms);
    }
    await step.run("hand-over", async () => {
      const next = await handOverPump(ring);
      if (next !== null) await ringPumps([next]);
    });
    return { ticks: TICKS_MAX, ended: "handed over" };
  },
);

async function tick(ring: { partition: string; generation: number }, count: number): Promise<Tick> {
  if (!(await renewPump(ring))) return { next: "end", why: "another generation has taken over" };
  await recoverLeases({ partition: ring.partition, limit: LEASES_PER_TICK });
  await dispatch(ring.partition);
  if (count % SAMPLE_TICKS === 0) await sampleForecasts(ring.partition);
  const rest = await restPump(ring);
  switch (rest.rest) {
    case "superseded":
      return { next: "end", why: "another generation has taken over" };
    case "sleep":
      return { next: "sleep", ms: rest.ms };
    case "idle": {
      // Once more, in a new transaction: work may have committed while this pump decided to rest.
      const again = await ringIfLive(ring.partition);
      if (again !== null) await ringPumps([again]);
      return { next: "end", why: "nothing is live" };
    }
  }
}
