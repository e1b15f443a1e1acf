import { sql } from "drizzle-orm";
import { at, ledgerNowMs, rows, type Transaction, transact, uuids } from "./connection";
import { resolveWallTime } from "./rules/due-time";
import { fail, invalid, ok, type Result } from "./rules/errors";
import type { HoldReason } from "./rules/holds";
import { isId } from "./rules/id";

/** The most messages a day that a limit may allow; more is no limit. */
export const DAILY_LIMIT_MAX = 100;

/**
 * Pauses everything until the beginning of a day in the shopper's zone, or takes the pause back (`null`). Holds keep: what
 * comes due meanwhile waits, and ends with that reason when it is of no use any more. What a pause held is looked at anew
 * at once when it is taken back. Returns the partitions that have work again.
 */
export async function pauseEverything(
  subscriberId: string,
  untilDate: string | null,
): Promise<Result<{ partitions: string[] }>> {
  return transact(async (tx): Promise<Result<{ partitions: string[] }>> => {
    const [subscriber] = await rows<{ timeZone: string }>(
      tx,
      sql`select time_zone as "timeZone" from subscribers where id = ${subscriberId}::uuid for no key update`,
    );
    if (subscriber === undefined) return fail({ code: "not_found", what: "subscriber" });
    const untilMs = untilDate === null ? null : startOfDay(untilDate, subscriber.timeZone);
    const nowMs = await ledgerNowMs(tx);
    if (untilDate !== null && (untilMs === null || untilMs <= nowMs)) {
      return invalid("pausedUntil", untilDate, "a day to come", "pausedUntil must be a day to come.");
    }
    await rows(
      tx,
      sql`update subscribers set paused_until = ${untilMs === null ? null : at(untilMs)} where id = ${subscriberId}::uuid`,
    );
    return ok({ partitions: untilMs === null ? await releaseHeld(tx, subscriberId, "paused") : [] });
  });
}

function startOfDay(date: string, timeZone: string): number | null {
  try {
    return /^\d{4}-\d{2}-\d{2}$/.test(date) ? resolveWallTime(`${date}T00:00:00`, timeZone).dueAtMs : null;
  } catch {
    return null;
  }
}

/**
 * What a pause or hours held of a subscriber, who has just taken them back or changed them, is due now; the claim asks
 * about all of them again. Returns the partitions that have work again. Lock order: the subscriber is locked already.
 */
export async function releaseHeld(
  tx: Transaction,
  subscriberId: string,
  reason: HoldReason,
): Promise<string[]> {
  const held = await rows<{ id: string; partition: string }>(
    tx,
    sql`select id, partition from deliveries where subscriber_id = ${subscriberId}::uuid and state = 'scheduled'
        and last_class = ${reason} order by id for update`,
  );
  await rows(
    tx,
    sql`update deliveries set next_eligible_at = greatest(ledger_now(), scheduled_at)
      where id = any(${uuids(held.map((row) => row.id))})`,
  );
  return [...new Set(held.map((row) => row.partition))];
}

/**
 * Sets the hours in which text messages may come, in the recipient's zone; `null`: at any hour. What the hours of before
 * held is looked at anew at once. Returns the partitions that have work again.
 */
export async function setSmsHours(
  subscriberId: string,
  hours: { from: string; until: string } | null,
): Promise<{ partitions: string[] }> {
  return transact(async (tx) => {
    await rows(
      tx,
      sql`update subscribers set sms_from = ${hours?.from ?? null}, sms_until = ${hours?.until ?? null}
        where id = ${subscriberId}::uuid`,
    );
    return { partitions: await releaseHeld(tx, subscriberId, "sms_hours") };
  });
}

/** Names a device, and limits how many messages a day come to an address; somebody else's is as absent as a missing one. */
export async function describeDestination(
  subscriberId: string,
  destinationId: string,
  change: { label?: string | null; dailyLimit?: number | null },
): Promise<Result<null>> {
  if (!isId(destinationId)) return fail({ code: "not_found", what: "address" });
  const { label, dailyLimit } = change;
  const wrong = typeof dailyLimit === "number" && !(dailyLimit >= 1 && dailyLimit <= DAILY_LIMIT_MAX);
  if (wrong) return invalid("dailyLimit", dailyLimit, `1 to ${DAILY_LIMIT_MAX}, or none`);
  const changed = await transact((tx) =>
    rows(
      tx,
      sql`update destinations set label = ${label === undefined ? sql`label` : sql`${label}::text`},
          daily_limit = ${dailyLimit === undefined ? sql`daily_limit` : sql`${dailyLimit}::int`}
        where id = ${destinationId}::uuid and subscriber_id = ${subscriberId}::uuid and state <> 'retired' returning id`,
    ),
  );
  return changed.length > 0 ? ok(null) : fail({ code: "not_found", what: "address" });
}
