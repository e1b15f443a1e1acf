import { sql } from "drizzle-orm";
import { rows, type Transaction, uuids } from "../connection";
import type { Channel } from "../rules/outcome";
import { lockForSuppression, suppress } from "../suppressions";
import type { SettledCall } from "./settle";
import type { Decided } from "./settle-rows";

/** An answer may mark its destination, and with it every other row of the same address. */
export async function lockMarkedDestinations(tx: Transaction, calls: readonly SettledCall[]): Promise<void> {
  const marked = calls
    .filter((call) => call.outcome.class === "destination_rejected")
    .map((call) => call.deliveryId);
  if (marked.length === 0) return;
  const found = await rows<{ channel: Channel; address: string }>(
    tx,
    sql`select channel, address from destinations
      where id in (select destination_id from deliveries where id = any(${uuids(marked)}))`,
  );
  await lockForSuppression(
    tx,
    found.flatMap(({ channel, address }) => (channel === "push" ? [] : [{ channel, address }])),
  );
}

/**
 * Marks what a provider said about an address: `gone` retires exactly this row; the rest suppresses the address, for good
 * and wherever it stands.
 */
export async function markDestinations(tx: Transaction, decided: readonly Decided[]): Promise<void> {
  for (const { row, settlement } of decided) {
    const mark = "mark" in settlement ? settlement.mark : undefined;
    if (mark === undefined || row.destinationId === null) continue;
    if (mark === "gone" || row.channel === "push") {
      const state = mark === "gone" ? "retired" : "suppressed";
      await rows(
        tx,
        sql`update destinations set state = ${state}, state_reason = ${mark}
          where id = ${row.destinationId} and state = 'active'`,
      );
      continue;
    }
    const [found] = await rows<{ address: string; partition: string | null }>(
      tx,
      sql`select x.address, d.partition from destinations x join deliveries d on d.id = ${row.id}::uuid
        where x.id = ${row.destinationId}`,
    );
    if (found === undefined) continue;
    const optedOut = mark === "opted_out";
    await suppress(tx, {
      channel: row.channel,
      address: found.address,
      scope: optedOut ? (found.partition ?? "*") : "*",
      reason: optedOut ? "opted_out" : "unreachable",
    });
  }
}
