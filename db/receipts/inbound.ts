import { sql } from "drizzle-orm";
import { config } from "../config";
import { rows, transact } from "../connection";
import type { InboundWish } from "../rules/inbound-text";
import { smsPartition } from "../rules/partition-key";
import { liftSuppression, suppress } from "../suppressions";

/**
 * Does what somebody asked by answering a text, once for each text: STOP suppresses the number at our sender at once,
 * START ends only what a STOP began. HELP is answered by Twilio. Returns false for a text that was there before.
 */
export async function recordInboundWish(answer: {
  messageId: string;
  from: string;
  to: string;
  wish: InboundWish;
}): Promise<boolean> {
  const { messageId, from: address, to, wish } = answer;
  if (wish === "help") return true;
  return transact(async (tx) => {
    const fresh = await rows(
      tx,
      sql`insert into inbound_texts (message_id, received_at) values (${messageId}, ledger_now())
        on conflict (message_id) do nothing returning 1`,
    );
    if (fresh.length === 0) return false;
    switch (wish) {
      case "stop": {
        const scope = smsPartition(config().twilio.accountSid, to);
        await suppress(tx, { channel: "sms", address, scope, reason: "opted_out" });
        return true;
      }
      case "start":
        await liftSuppression(tx, { channel: "sms", address, by: "reply" });
        return true;
    }
  });
}
