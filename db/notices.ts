import { sql } from "drizzle-orm";
import { partitionFor } from "./admission/partition-defaults";
import { ensurePartitions } from "./admission/partitions";
import { at, ledgerNowMs, rows, type Transaction, transact } from "./connection";
import { effects } from "./effects";
import { deliveryReference } from "./ledger/reference";
import { storePayloads } from "./payloads";
import { deliveryKey } from "./rules/delivery-key";
import { fail, ok, type Result } from "./rules/errors";
import type { Channel } from "./rules/outcome";

/** A code is worthless after ten minutes; a late one only confuses. */
export const CODE_USEFUL_SECONDS = 600;

/** Codes that one subscriber may ask for in ten minutes: enough for mistakes, too few to be a nuisance to anybody. */
const CODES_PER_WINDOW = 5;

export interface NoticeInput {
  subscriberId: string;
  destinationId: string;
  template: "sign-in-code" | "phone-code" | "device-test" | "dead-letter-report";
  content: unknown;
  cost: number;
  /** The caller's own id where the same notice may be asked for again: it is opened once. */
  noticeId?: string;
  /** How long it is of use; a code's time when absent. */
  usefulSeconds?: number;
}

/** Whether asking for it often is a nuisance to somebody: what a person asks for is, what operators are told is not. */
const LIMITED = ["sign-in-code", "phone-code", "device-test"];

/**
 * Sends a message that is due now, in the `urgent` lane: source, payload and delivery in one transaction. The caller
 * admits the returned partition after the commit. The payload is wiped by the database when the delivery ends.
 */
export async function openNotice(
  input: NoticeInput,
): Promise<Result<{ deliveryId: string; partition: string }>> {
  return transact(async (tx): Promise<Result<{ deliveryId: string; partition: string }>> => {
    await rows(tx, sql`select id from subscribers where id = ${input.subscriberId}::uuid for no key update`);
    const [destination] = await rows<{ channel: Channel; address: string; state: string }>(
      tx,
      sql`select channel, address, state from destinations
        where id = ${input.destinationId}::uuid and subscriber_id = ${input.subscriberId}::uuid for share`,
    );
    if (destination === undefined) return fail({ code: "not_found", what: "destination" });
    if (destination.state !== "active") {
      return fail({ code: "conflict", why: "This address does not take messages any more." });
    }
    const [recent] = await rows<{ count: number }>(
      tx,
      sql`select count(*)::int as count from notices where subscriber_id = ${input.subscriberId}::uuid
        and created_at > ledger_now() - ${CODE_USEFUL_SECONDS} * interval '1 second'`,
    );
    if (LIMITED.includes(input.template) && (recent?.count ?? 0) >= CODES_PER_WINDOW) {
      return fail({
        code: "rate_limited",
        retryAfterSeconds: CODE_USEFUL_SECONDS,
        why: "Too many codes were asked for. Wait ten minutes, or use the newest one.",
      });
    }
    const known = input.noticeId === undefined ? null : await findNotice(tx, input.noticeId);
    if (known !== null) return ok(known);
    const nowMs = await ledgerNowMs(tx);
    const noticeId = input.noticeId ?? effects.newId();
    const { channel } = destination;
    const partition = partitionFor(channel, destination.address);
    await ensurePartitions(tx, [partition]);
    await rows(
      tx,
      sql`insert into notices (id, subscriber_id, destination_id, template, created_at)
        values (${noticeId}::uuid, ${input.subscriberId}::uuid, ${input.destinationId}::uuid, ${input.template}, ${at(nowMs)})`,
    );
    await storePayloads(
      [{ sourceId: noticeId, channel, version: 1, content: input.content, cost: input.cost }],
      tx,
    );
    const key = deliveryKey({ source: "notice", noticeId, subscriberId: input.subscriberId, channel });
    const deliveryId = effects.newId();
    await rows(
      tx,
      sql`insert into deliveries (id, key, reference, notice_id, subscriber_id, channel, destination_id, partition, lane, flow,
          pass, cost, state, scheduled_at, expires_at, created_at, payload_id, version, owner)
        select ${deliveryId}::uuid, ${key}, ${deliveryReference(key)}, ${noticeId}::uuid, ${input.subscriberId}::uuid, ${channel},
          ${input.destinationId}::uuid, ${partition.key}, 'urgent', ${input.subscriberId},
          l.pass_floor + ${input.cost}, ${input.cost}, 'ready', ${at(nowMs)},
          ${at(nowMs + (input.usefulSeconds ?? CODE_USEFUL_SECONDS) * 1000)}, ${at(nowMs)}, pay.id, 1, p.owner
        from partitions p join lanes l on l.partition = p.key and l.lane = 'urgent', payloads pay
        where p.key = ${partition.key} and pay.source_id = ${noticeId}::uuid`,
    );
    return ok({ deliveryId, partition: partition.key });
  });
}

/** A notice that has been opened before: its subscriber's lock is held, so nobody is opening it now. */
async function findNotice(
  tx: Transaction,
  noticeId: string,
): Promise<{ deliveryId: string; partition: string } | null> {
  const [row] = await rows<{ deliveryId: string; partition: string }>(
    tx,
    sql`select id as "deliveryId", partition from deliveries where notice_id = ${noticeId}::uuid`,
  );
  return row ?? null;
}
