import { config } from "../config";
import type { Channel } from "../rules/outcome";
import { emailPartition, pushPartition, smsAccount, smsPartition } from "../rules/partition-key";
import type { PartitionDefaults } from "./partitions";

/** Bursts make 429s, not average rates: a twentieth of a second's rate stays well under every provider's own burst. */
const BURST_SHARE = 0.05;

/**
 * What a new partition may do at this rate. Its concurrency is the belt above the meter: what the rate allows in a second,
 * at least a hundred. A delivery counts from its claim, up to half a second before its call, until its outcome is
 * written: under a second at a provider that is well. Less would bind before the meter does.
 */
function limitsAt(ceiling: number): Pick<PartitionDefaults, "ceiling" | "burst" | "concurrency"> {
  return {
    ceiling,
    burst: Math.max(1, Math.floor(ceiling * BURST_SHARE)),
    concurrency: Math.max(100, Math.ceil(ceiling)),
  };
}

/** Which partition a destination's deliveries belong to, and what a new partition starts with. */
export function partitionFor(channel: Channel, address: string): PartitionDefaults {
  const { rates, resend, twilio, webPush } = config();
  switch (channel) {
    case "email":
      return {
        key: emailPartition(resend.account),
        channel,
        provider: "resend",
        ...limitsAt(rates.emailPerSecond),
      };
    case "sms": {
      const sender = { channel, provider: "twilio" } as const;
      const key = smsPartition(twilio.accountSid, twilio.from);
      const own = { ...sender, key, ...limitsAt(rates.smsSegmentsPerSecond) };
      const shared = rates.smsAccountPerSecond;
      if (shared === null) return own;
      return { ...own, account: { ...sender, key: smsAccount(twilio.accountSid), ...limitsAt(shared) } };
    }
    case "push":
      return {
        key: pushPartition(address, webPush?.extraHosts ?? []),
        channel,
        provider: "web-push",
        ...limitsAt(rates.pushPerSecond),
      };
  }
}
