import { sql } from "drizzle-orm";
import { partitionFor } from "./admission/partition-defaults";
import { at, ledgerNowMs, rows, type Transaction, transact } from "./connection";
import { effects } from "./effects";
import { type IdempotencyClaim, once } from "./idempotency";
import { insertDeliveries } from "./ledger/insert-deliveries";
import { readDestinations, targetsOf } from "./ledger/opening-facts";
import { storePayloads } from "./payloads";
import { checkChannels } from "./reminders/occurrence";
import { deliveryKey } from "./rules/delivery-key";
import { fail, ok, type Result } from "./rules/errors";
import { isId } from "./rules/id";
import type { MessageContent } from "./rules/message-content";
import type { NoticeTemplate } from "./rules/notice-schemas";
import type { Channel } from "./rules/outcome";
import { currentTrace } from "./trace";

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

/** Where one message of a notice goes, and what it says. */
interface NoticeTarget {
  channel: Channel;
  destinationId: string;
  address: string;
  content: unknown;
  cost: number;
}

/**
 * Sends a code that is due now, in the `urgent` lane: source, payload and delivery in one transaction. The caller admits
 * the returned partition after the commit. The payload is wiped by the database when the delivery ends.
 */
export async function openNotice(
  input: NoticeInput,
): Promise<Result<{ deliveryId: string; partition: string }>> {
  const { subscriberId, destinationId, template, content, cost } = input;
  if (!isId(destinationId)) return fail({ code: "not_found", what: "destination" });
  return transact(async (tx): Promise<Result<{ deliveryId: string; partition: string }>> => {
    await rows(tx, sql`select id from subscribers where id = ${subscriberId}::uuid for no key update`);
    const [destination] = await rows<{ channel: Channel; address: string; state: string }>(
      tx,
      sql`select channel, address, state from destinations
        where id = ${destinationId}::uuid and subscriber_id = ${subscriberId}::uuid for share`,
    );
    if (destination === undefined) return fail({ code: "not_found", what: "destination" });
    if (destination.state !== "active") {
      return fail({ code: "conflict", why: "This address does not take messages any more." });
    }
    const [recent] = await rows<{ count: number }>(
      tx,
      sql`select count(*)::int as count from notices where subscriber_id = ${subscriberId}::uuid
        and template in ('sign-in-code', 'phone-code', 'device-test')
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
    const target = { ...destination, destinationId, content, cost };
    const opened = await insertNotice(
      tx,
      {
        ...(input.noticeId === undefined ? {} : { noticeId: input.noticeId }),
        subscriberId,
        destinationId,
        template,
        usefulSeconds: input.usefulSeconds ?? CODE_USEFUL_SECONDS,
      },
      [target],
    );
    const [deliveryId = ""] = opened.deliveryIds;
    const [partition = ""] = opened.partitions;
    return ok({ deliveryId, partition });
  });
}

export interface AccountNoticeInput {
  subscriberId: string;
  template: NoticeTemplate;
  channels: readonly Channel[];
  usefulSeconds: number;
  /** Content and cost per asked channel. */
  contents: ReadonlyMap<Channel, { content: MessageContent; cost: number }>;
}

export interface AccountNotice {
  id: string;
  deliveries: string[];
  partitions: string[];
}

/**
 * Sends a password reset, a fraud alert or a notice about the account to the verified addresses of the asked channels, in
 * the `urgent` lane: no preference, quiet hour or coalescing holds it. A repeat with the same idempotency key sends
 * nothing more.
 */
export function openAccountNotice(
  input: AccountNoticeInput,
  idempotency: IdempotencyClaim | null,
): Promise<Result<{ value: AccountNotice; replayed: boolean }>> {
  return once(idempotency, async (tx) => {
    const { subscriberId, template, usefulSeconds, channels, contents } = input;
    const [subscriber] = await rows(
      tx,
      sql`select id from subscribers where id = ${subscriberId}::uuid for no key update`,
    );
    if (subscriber === undefined) return fail({ code: "not_found", what: "subscriber" });
    const reachable = await checkChannels(tx, subscriberId, channels);
    if (!reachable.ok) return reachable;
    const known = await readDestinations(tx, [subscriberId]);
    const targets = channels.flatMap((channel) =>
      targetsOf(channel, known.get(`${subscriberId}:${channel}`) ?? []).targets.flatMap(
        (target): NoticeTarget[] => {
          const rendered = contents.get(channel);
          if (target === null || rendered === undefined) return [];
          return [{ channel, destinationId: target.id, address: target.address, ...rendered }];
        },
      ),
    );
    const { noticeId, deliveryIds, partitions } = await insertNotice(
      tx,
      { subscriberId, destinationId: null, template, usefulSeconds },
      targets,
    );
    return ok({ id: noticeId, deliveries: deliveryIds, partitions });
  });
}

/** One row per target, `ready` at once. Each has its own payload, which is wiped when that delivery ends. */
async function insertNotice(
  tx: Transaction,
  notice: {
    noticeId?: string;
    subscriberId: string;
    destinationId: string | null;
    template: NoticeInput["template"] | NoticeTemplate;
    usefulSeconds: number;
  },
  targets: readonly NoticeTarget[],
): Promise<{ noticeId: string; deliveryIds: string[]; partitions: string[] }> {
  const nowMs = await ledgerNowMs(tx);
  const { noticeId = effects.newId(), subscriberId, destinationId, template, usefulSeconds } = notice;
  await rows(
    tx,
    sql`insert into notices (id, subscriber_id, destination_id, template, created_at)
      values (${noticeId}::uuid, ${subscriberId}::uuid, ${destinationId}::uuid, ${template}, ${at(nowMs)})`,
  );
  await storePayloads(
    targets.map(({ channel, destinationId: variant, content, cost }) => {
      return { sourceId: noticeId, channel, version: 1, variant, content, cost };
    }),
    tx,
  );
  const stored = await rows<{ id: string; variant: string }>(
    tx,
    sql`select id, variant from payloads where source_id = ${noticeId}::uuid`,
  );
  const payloadIds = new Map(stored.map((row) => [row.variant, row.id]));
  const born = targets.map((target) => {
    // Codes go to one address: their key names the channel alone, as the keys of email and SMS always do.
    const device = target.channel === "push" ? { deviceId: target.destinationId } : {};
    return {
      id: effects.newId(),
      key: deliveryKey({ source: "notice", noticeId, subscriberId, channel: target.channel, ...device }),
      noticeId,
      subscriberId,
      channel: target.channel,
      destinationId: target.destinationId,
      partition: partitionFor(target.channel, target.address),
      lane: "urgent" as const,
      flow: subscriberId,
      cost: target.cost,
      dueAtMs: nowMs,
      expiresAtMs: nowMs + usefulSeconds * 1000,
      payloadId: payloadIds.get(target.destinationId) ?? null,
      version: 1,
      opening: { state: "ready" as const },
      trace: currentTrace(),
    };
  });
  const partitions = await insertDeliveries(tx, born);
  return { noticeId, deliveryIds: born.map((row) => row.id), partitions };
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
