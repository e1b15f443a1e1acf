import { config } from "../config";
import type { Channel } from "../rules/outcome";
import { emailPartition, pushPartition, smsAccount, smsPartition } from "../rules/partition-key";
import type { PartitionDefaults } from "./partitions";

/** Bursts make 429s, not average rates: a twentieth of a second's rate stays well under every provider's own burst. */
const BURST_SHARE = 0.05;

/**
 * The belt above the meter: what the rate allows in a second, at least a hundred. A delivery counts from its claim, up to
 * half a second before its call, until its outcome is written: under a second at a provider that is well. Less would
 * bind before the meter does.
 */
function concurrencyOf(ratePerSecond: number): number {
  return Math.max(100, Math.ceil(ratePerSecond));
}

/** Which partition a destination's deliveries belong to, and what a new partition starts with. */
export function partitionFor(channel: Channel, address: string): PartitionDefaults {
  const { rates, resend, twilio, webPush } = config();
  const burst = (ceiling: number) => Math.max(1, Math.floor(ceiling * BURST_SHARE));
  switch (channel) {
    case "email": {
      const ceiling = rates.emailPerSecond;
      const key = emailPartition(resend.account);
      return {
        key,
        channel,
        provider: "resend",
        ceiling,
        burst: burst(ceiling),
        concurrency: concurrencyOf(ceiling),
      };
    }
    case "sms": {
      const ceiling = rates.smsSegmentsPerSecond;
      const shared = rates.smsAccountPerSecond;
      const sender = { channel, provider: "twilio" } as const;
      const key = smsPartition(twilio.accountSid, twilio.from);
      const own = { ...sender, key, ceiling, burst: burst(ceiling), concurrency: concurrencyOf(ceiling) };
      if (shared === null) return own;
      const account = {
        ...sender,
        key: smsAccount(twilio.accountSid),
        ceiling: shared,
        burst: burst(shared),
        concurrency: concurrencyOf(shared),
      };
      return { ...own, account };
    }
    case "push": {
      const ceiling = rates.pushPerSecond;
      const key = pushPartition(address, webPush?.extraHosts ?? []);
      return {
        key,
        channel,
        provider: "web-push",
        ceiling,
        burst: burst(ceiling),
        concurrency: concurrencyOf(ceiling),
      };
    }
  }
}
