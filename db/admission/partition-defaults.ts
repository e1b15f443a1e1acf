import { config } from "../config";
import type { Channel } from "../rules/outcome";
import { emailPartition, pushPartition, smsAccount, smsPartition } from "../rules/partition-key";
import type { PartitionDefaults } from "./partitions";

/** Bursts make 429s, not average rates: a twentieth of a second's rate stays well under every provider's own burst. */
const BURST_SHARE = 0.05;

/** The belt above the meter: more calls at once than any window needs, fewer than would exhaust sockets. */
const CONCURRENCY = 100;

/** Which partition a destination's deliveries belong to, and what a new partition starts with. */
export function partitionFor(channel: Channel, address: string): PartitionDefaults {
  const { rates, resend, twilio, webPush } = config();
  const burst = (ceiling: number) => Math.max(1, Math.floor(ceiling * BURST_SHARE));
  switch (channel) {
    case "email": {
      const ceiling = rates.emailPerSecond;
      const key = emailPartition(resend.account);
      return { key, channel, provider: "resend", ceiling, burst: burst(ceiling), concurrency: CONCURRENCY };
    }
    case "sms": {
      const ceiling = rates.smsSegmentsPerSecond;
      const shared = rates.smsAccountPerSecond;
      const sender = { channel, provider: "twilio", concurrency: CONCURRENCY } as const;
      const key = smsPartition(twilio.accountSid, twilio.from);
      const own = { ...sender, key, ceiling, burst: burst(ceiling) };
      if (shared === null) return own;
      const account = {
        ...sender,
        key: smsAccount(twilio.accountSid),
        ceiling: shared,
        burst: burst(shared),
      };
      return { ...own, account };
    }
    case "push": {
      const ceiling = rates.pushPerSecond;
      const key = pushPartition(address, webPush?.extraHosts ?? []);
      return { key, channel, provider: "web-push", ceiling, burst: burst(ceiling), concurrency: CONCURRENCY };
    }
  }
}
