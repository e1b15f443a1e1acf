import { createHmac } from "node:crypto";
import { sql } from "drizzle-orm";
import { config } from "./config";
import { type Executor, rows, type Transaction, transact } from "./connection";
import { effects } from "./effects";
import { recordAction } from "./operator-actions";
import { emailIdentity } from "./rules/email-address";
import type { SuppressionReason } from "./rules/receipt";

/** Channels whose addresses are the same for whoever adds them; a push endpoint dies with its browser. */
export type SuppressibleChannel = "email" | "sms";

/** The one name under which an address is remembered when the address itself is gone. */
export function suppressionHash(channel: SuppressibleChannel, address: string): string {
  const plain = channel === "email" ? emailIdentity(address) : address.trim();
  return createHmac("sha256", config().suppressionSecret).update(`${channel}:${plain}`).digest("hex");
}

/**
 * Remembers that an address must not be written to, and suppresses every destination that has it: at once, because a
 * claim re-reads its destination (P6). Repeating it changes nothing. `scope` is `*`, or the partition whose sender was
 * told to stop.
 *
 * Lock order: destinations by id, before any delivery.
 */
export async function suppress(
  tx: Transaction,
  found: { channel: SuppressibleChannel; address: string; scope: string; reason: SuppressionReason },
): Promise<void> {
  const { channel, address, scope, reason } = found;
  const hash = suppressionHash(channel, address);
  await lockAddress(tx, hash);
  await rows(
    tx,
    sql`update destinations d set state = 'suppressed', state_reason = ${reason}
      from (select id from destinations where channel = ${channel} and lower(address) = lower(${address})
        and state = 'active' order by id for update) as locked
      where d.id = locked.id`,
  );
  await rows(
    tx,
    sql`insert into suppressions (id, channel, address_hash, scope, reason, created_at)
      values (${effects.newId()}::uuid, ${channel}, ${hash}, ${scope}, ${reason}, ledger_now())
      on conflict (channel, address_hash, scope) where lifted_at is null do nothing`,
  );
}

/**
 * Ends a suppression and gives its destinations back, when the person said START (`reply`, which ends only what a STOP
 * began) or an operator knows better. Returns whether there was one.
 */
export async function liftSuppression(
  tx: Transaction,
  lifted: { channel: SuppressibleChannel; address: string; by: string },
): Promise<boolean> {
  const { channel, address, by } = lifted;
  const hash = suppressionHash(channel, address);
  await lockAddress(tx, hash);
  const ended = await rows(
    tx,
    sql`update suppressions set lifted_at = ledger_now(), lifted_by = ${by}
      where channel = ${channel} and address_hash = ${hash} and lifted_at is null
        and (${by} <> 'reply' or reason = 'opted_out') returning id`,
  );
  if ((await standing(tx, hash)) === null) {
    await rows(
      tx,
      sql`update destinations d set state = 'active', state_reason = null
        from (select id from destinations where channel = ${channel} and lower(address) = lower(${address})
          and state = 'suppressed' order by id for update) as locked
        where d.id = locked.id`,
    );
  }
  return ended.length > 0;
}

/** `liftSuppression` by an operator, who is remembered with the reason; of the address only its hash. */
export async function liftByOperator(input: {
  channel: SuppressibleChannel;
  address: string;
  name: string;
  reason: string;
}): Promise<boolean> {
  const { channel, address, name, reason } = input;
  return transact(async (tx) => {
    const lifted = await liftSuppression(tx, { channel, address, by: name });
    if (lifted) {
      await recordAction(
        tx,
        { name, reason },
        {
          action: "lift suppression",
          target: `${channel}:${suppressionHash(channel, address).slice(0, 16)}`,
          details: {},
        },
      );
    }
    return lifted;
  });
}

/** Why this address is suppressed at present; null when it is not. Takes the lock under which suppressions change. */
export async function standingSuppression(
  tx: Transaction,
  channel: SuppressibleChannel,
  address: string,
): Promise<SuppressionReason | null> {
  const hash = suppressionHash(channel, address);
  await lockAddress(tx, hash);
  return standing(tx, hash);
}

export interface SuppressionView {
  scope: string;
  reason: SuppressionReason;
  createdAtMs: number;
  liftedAtMs: number | null;
  liftedBy: string | null;
}

/** Everything that is remembered about one address, newest first; for operators, who know the address. */
export async function findSuppressions(
  channel: SuppressibleChannel,
  address: string,
): Promise<SuppressionView[]> {
  return transact((tx) =>
    rows<SuppressionView>(
      tx,
      sql`select scope, reason, epoch_ms(created_at) as "createdAtMs", epoch_ms(lifted_at) as "liftedAtMs",
          lifted_by as "liftedBy"
        from suppressions where channel = ${channel} and address_hash = ${suppressionHash(channel, address)}
        order by created_at desc limit 100`,
    ),
  );
}

async function standing(executor: Executor, hash: string): Promise<SuppressionReason | null> {
  const [row] = await rows<{ reason: SuppressionReason }>(
    executor,
    sql`select reason from suppressions where address_hash = ${hash} and lifted_at is null order by created_at limit 1`,
  );
  return row?.reason ?? null;
}

/**
 * Locks what `suppress` will touch for these addresses, in the one order: for a transaction that goes on to lock
 * deliveries before it suppresses.
 */
export async function lockForSuppression(
  tx: Transaction,
  addresses: readonly { channel: SuppressibleChannel; address: string }[],
): Promise<void> {
  const found = addresses.map((one) => ({ ...one, hash: suppressionHash(one.channel, one.address) }));
  for (const { channel, address, hash } of found.toSorted((a, b) => (a.hash < b.hash ? -1 : 1))) {
    await lockAddress(tx, hash);
    await rows(
      tx,
      sql`select id from destinations where channel = ${channel} and lower(address) = lower(${address})
        and state <> 'retired' order by id for no key update`,
    );
  }
}

/** A destination that is added while its address is being suppressed waits, and then knows. */
async function lockAddress(tx: Transaction, hash: string): Promise<void> {
  await rows(tx, sql`select pg_advisory_xact_lock(hashtextextended(${hash}, 7446010))`);
}
