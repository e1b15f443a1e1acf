import { createHash } from "node:crypto";
import { sql } from "drizzle-orm";
import { admit, type Parcel } from "../../db/admission/admit";
import { alone } from "../../db/connection";
import { claimGroup } from "../../db/ledger/begin";
import { settleAttempts } from "../../db/ledger/settle";

/**
 * A process of its own on the database that `DATABASE_URL` names: at each message it does what the product does for one
 * parcel under backlog, and answers how long each part took. Two of them on two databases take turns, so that whatever
 * else the machine does meets both alike.
 */
export type Turn = { admitMs: number; claimMs: number[]; settleMs: number[]; deliveries: number };

/** A group of slots at 100 a second. */
const GROUP = 10;

/** Parcels that are out: a partition under backlog has a window of them. */
const out: Parcel[] = [];

process.on("message", (partition: string) => {
  turn(partition).then(
    (done) => process.send?.(done),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
process.on("disconnect", () => process.exit(0));

async function turn(partition: string): Promise<Turn> {
  const [admitted, admitMs] = await timed(() => admit(partition));
  out.push(...admitted.parcels);
  const parcel = out.shift();
  const done: Turn = { admitMs, claimMs: [], settleMs: [], deliveries: 0 };
  const left = [...(parcel?.deliveryIds ?? [])];
  while (parcel !== undefined && left.length > 0) {
    // Time itself is not measured: the meter has room whenever it is asked.
    await alone(
      sql`update meters set ready_at = ledger_now() - interval '10 seconds' where key = ${partition}`,
    );
    const [group, claimMs] = await timed(() =>
      claimGroup({
        partition,
        channel: parcel.channel,
        deliveryIds: left.slice(0, GROUP),
        runId: parcel.admissionId,
        hashContent: (row) => createHash("sha256").update(JSON.stringify(row)).digest("hex"),
      }),
    );
    left.splice(0, GROUP);
    const calls = group.begun.map(({ attemptId, deliveryId, token, epoch }) => ({
      attemptId,
      deliveryId,
      token,
      epoch,
      outcome: { class: "accepted" as const, providerMessageId: attemptId },
      status: 200,
      code: null,
      retryAfterRaw: null,
      detail: null,
      observedRatePerSecond: null,
      callMs: 20,
    }));
    const [, settleMs] = await timed(() => settleAttempts(partition, calls));
    done.claimMs.push(claimMs);
    done.settleMs.push(settleMs);
    done.deliveries += calls.length;
  }
  return done;
}

async function timed<T>(work: () => Promise<T>): Promise<[T, number]> {
  const startMs = performance.now();
  const result = await work();
  return [result, performance.now() - startMs];
}
