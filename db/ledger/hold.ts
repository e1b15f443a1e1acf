import { sql } from "drizzle-orm";
import { at, ledgerNowMs, rows, transact, uuids } from "../connection";
import { giveBack } from "./expire";
import { lockDeliveries } from "./lock";

/** Added to the instant for which a run keeps rows: how late the engine may wake it before anybody else takes them. */
const KEPT_GRACE_MS = 10_000;

/** A parcel that found no slot comes back this much before the meter is free again. */
const AHEAD_OF_READY_MS = 1_000;

/**
 * Lets a run keep rows over a provider's wait: nobody else admits them until shortly after it should have woken
 * (`kept_until`). Only rows that still wait are kept; the ledger's next eligible time stands whoever wakes.
 */
export async function keepForRun(
  deliveryIds: readonly string[],
  runId: string,
  wakeInMs: number,
): Promise<number> {
  if (deliveryIds.length === 0) return 0;
  return transact(async (tx) => {
    await lockDeliveries(tx, deliveryIds);
    const nowMs = await ledgerNowMs(tx);
    const kept = await rows(
      tx,
      sql`update deliveries set kept_by = ${runId}, kept_until = ${at(nowMs + wakeInMs + KEPT_GRACE_MS)}
        where id = any(${uuids(deliveryIds)}) and state = 'deferred' and kept_by is null returning id`,
    );
    return kept.length;
  });
}

/** Puts rows back that an admission or a run held and that nobody called about, each in its state. */
export async function returnRows(deliveryIds: readonly string[]): Promise<void> {
  if (deliveryIds.length === 0) return;
  await transact(async (tx) => {
    await lockDeliveries(tx, deliveryIds);
    await giveBack(tx, deliveryIds);
  });
}

/** Sends a parcel back that found no slot in time: deferred until shortly before the meter is free, pass kept. */
export async function returnForSlot(partition: string, deliveryIds: readonly string[]): Promise<void> {
  if (deliveryIds.length === 0) return;
  await transact(async (tx) => {
    await lockDeliveries(tx, deliveryIds);
    await rows(
      tx,
      sql`update deliveries d set state = 'deferred', last_class = 'local_rate_limit',
          next_eligible_at = greatest(ledger_now(), m.ready_at - ${AHEAD_OF_READY_MS} * interval '1 millisecond'),
          admission_id = null, admitted_until = null, kept_by = null, kept_until = null
        from (select max(ready_at) as ready_at from meters where key = ${partition}
          or key = (select account from partitions where key = ${partition})) m where d.id = any(${uuids(deliveryIds)}) and d.state = 'ready'`,
    );
  });
}
