import { eq } from "drizzle-orm";
import { ensurePartitions } from "../../db/admission/partitions";
import { database } from "../../db/connection";
import type { Channel } from "../../db/rules/outcome";
import { smsPartition } from "../../db/rules/partition-key";
import * as schema from "../../db/schema";

let partitions = 0;

export interface PartitionOptions {
  channel: Channel;
  ceiling: number;
  burst: number;
}

/** A partition of its own with its meter and lanes, so that tests of one file do not meet. Returns its key. */
export async function makePartition(options: Partial<PartitionOptions> = {}): Promise<string> {
  const { channel = "email", ceiling = 10, burst = 1 } = options;
  const providers = { email: "resend", sms: "twilio", push: "web-push" } as const;
  partitions += 1;
  const number = partitions;
  const keys: Record<Channel, string> = {
    email: `email:resend:team-${number}`,
    sms: smsPartition(`AC${number}`, "+15005550006"),
    push: `push:host-${number}.example`,
  };
  const key = keys[channel];
  await ensurePartitions(database(), [
    { key, channel, provider: providers[channel], ceiling, burst, concurrency: 10_000 },
  ]);
  return key;
}

export async function setPartition(
  key: string,
  values: Partial<typeof schema.partitions.$inferInsert>,
): Promise<void> {
  await database().update(schema.partitions).set(values).where(eq(schema.partitions.key, key));
}

export async function setMeter(
  key: string,
  values: Partial<typeof schema.meters.$inferInsert>,
): Promise<void> {
  await database().update(schema.meters).set(values).where(eq(schema.meters.key, key));
}
