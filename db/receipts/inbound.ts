import { config } from "../config";
import { transact } from "../connection";
import type { InboundWish } from "../rules/inbound-text";
import { smsPartition } from "../rules/partition-key";
import { liftSuppression, suppress } from "../suppressions";

/**
 * Does what somebody asked by answering a text: STOP suppresses the number at our sender at once, START ends only what a
 * STOP began. Asking twice changes nothing; HELP is answered by Twilio.
 */
export async function recordInboundWish(answer: {
  from: string;
  to: string;
  wish: InboundWish;
}): Promise<void> {
  const { from: address, to, wish } = answer;
  switch (wish) {
    case "stop":
      return transact((tx) => {
        const scope = smsPartition(config().twilio.accountSid, to);
        return suppress(tx, { channel: "sms", address, scope, reason: "opted_out" });
      });
    case "start":
      await transact((tx) => liftSuppression(tx, { channel: "sms", address, by: "reply" }));
      return;
    case "help":
      return;
  }
}
