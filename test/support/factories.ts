import { randomUUID } from "node:crypto";
import { database } from "../../db/connection";
import { deliveryReference } from "../../db/ledger/reference";
import { deliveryKey } from "../../db/rules/delivery-key";
import type { DeliveryState } from "../../db/rules/lifecycle";
import type { Channel } from "../../db/rules/outcome";
import * as schema from "../../db/schema";
import { makePartition } from "./partition-factories";
import { testClock } from "./test-clock";

export { emptyLedger, NOON_MS, resetLedgerState } from "./empty-ledger";
export { makePartition, type PartitionOptions, setMeter, setPartition } from "./partition-factories";

/**
 * Rows for tests, straight into the tables: partial overrides, everything else filled in so that the row is legal in its
 * state. Instants are those of the test clock.
 */
export type DeliveryRow = typeof schema.deliveries.$inferSelect;
export type SubscriberRow = typeof schema.subscribers.$inferSelect;
export type DestinationRow = typeof schema.destinations.$inferSelect;
export type ReminderRow = typeof schema.reminders.$inferSelect;
export type OccurrenceRow = typeof schema.occurrences.$inferSelect;

/** An instant so many milliseconds from the test clock's. */
export const inMs = (ms: number): Date => new Date(testClock.nowMs() + ms);

let counter = 0;

function nextNumber(): number {
  counter += 1;
  return counter;
}

async function insert<Table extends keyof typeof TABLES>(table: Table, values: object): Promise<never> {
  const [row] = await database()
    .insert(TABLES[table])
    .values(values as never)
    .returning();
  return row as never;
}

const TABLES = {
  subscribers: schema.subscribers,
  destinations: schema.destinations,
  reminders: schema.reminders,
  occurrences: schema.occurrences,
  notices: schema.notices,
  payloads: schema.payloads,
  deliveries: schema.deliveries,
  attempts: schema.attempts,
} as const;

export function makeSubscriber(overrides: Partial<SubscriberRow> = {}): Promise<SubscriberRow> {
  const id = overrides.id ?? randomUUID();
  return insert("subscribers", {
    id,
    externalId: `shop-${id}`,
    timeZone: "Europe/Berlin",
    locale: "en",
    createdAt: inMs(0),
    ...overrides,
  });
}

/** A verified, active destination; each has an address of its own. */
export function makeDestination(
  subscriberId: string,
  overrides: Partial<DestinationRow> = {},
): Promise<DestinationRow> {
  const number = nextNumber();
  const channel = overrides.channel ?? "email";
  const addresses: Record<Channel, string> = {
    email: `shopper-${number}@shopper.example`,
    sms: `+1202555${String(number).padStart(4, "0")}`,
    push: `http://127.0.0.1:9/push/device-${number}`,
  };
  return insert("destinations", {
    id: randomUUID(),
    subscriberId,
    channel,
    address: addresses[channel],
    ...(channel === "push" ? { p256dh: "p256dh", auth: "auth" } : {}),
    state: "active",
    verifiedAt: inMs(-1000),
    createdAt: inMs(-1000),
    ...overrides,
  });
}

/** A subscriber whom these channels reach, with `devices` for push. */
export async function makeShopper(
  options: { channels?: Channel[]; devices?: number } & Partial<SubscriberRow> = {},
): Promise<SubscriberRow> {
  const { channels = ["email", "sms", "push"], devices = 1, ...overrides } = options;
  const subscriber = await makeSubscriber(overrides);
  for (const channel of channels) {
    const count = channel === "push" ? devices : 1;
    for (let made = 0; made < count; made += 1) await makeDestination(subscriber.id, { channel });
  }
  return subscriber;
}

/** A reminder with its first occurrence, waiting and due in a minute. */
export async function makeReminder(
  options: {
    subscriberId?: string;
    channels?: Channel[];
    dueInMs?: number;
    state?: OccurrenceRow["state"];
  } = {},
): Promise<{ reminder: ReminderRow; occurrence: OccurrenceRow }> {
  const { channels = ["email"], dueInMs = 60_000, state = "waiting" } = options;
  const subscriberId = options.subscriberId ?? (await makeShopper({ channels })).id;
  const dueAt = inMs(dueInMs);
  const wall = { wallTime: dueAt.toISOString().slice(0, 16), timeZone: "UTC", dueAt, channels, version: 1 };
  const reminder: ReminderRow = await insert("reminders", {
    id: randomUUID(),
    subscriberId,
    title: "Water the plants",
    expiresAfterSeconds: 86_400,
    status: "active",
    createdAt: inMs(0),
    updatedAt: inMs(0),
    ...wall,
  });
  const occurrence: OccurrenceRow = await insert("occurrences", {
    id: randomUUID(),
    reminderId: reminder.id,
    number: 1,
    origin: "schedule",
    state,
    openedAt: state === "opened" ? inMs(0) : null,
    createdAt: inMs(0),
    ...wall,
  });
  return { reminder, occurrence };
}

/** What a delivery in this state must carry besides its identity. */
function stateOf(state: DeliveryState): Partial<DeliveryRow> {
  const triedAt = inMs(-500);
  const tried = {
    attemptCount: 1,
    token: 1,
    scheduledAt: triedAt,
    firstAttemptAt: triedAt,
    latestAttemptAt: triedAt,
  };
  switch (state) {
    case "scheduled":
      return { nextEligibleAt: inMs(60_000) };
    case "ready":
      return { pass: nextNumber() };
    case "sending":
      return { ...tried, leaseUntil: inMs(15_000), contentHash: "hash" };
    case "deferred":
      return {
        ...tried,
        nextEligibleAt: inMs(1000),
        lastClass: "transient",
        failureCount: 1,
        contentHash: "hash",
      };
    case "delivered":
      return { ...tried, finishedAt: inMs(-100), lastClass: "accepted" };
    case "dead":
      return { ...tried, finishedAt: inMs(-100), reason: "attempts_exhausted", burialId: randomUUID() };
    case "expired":
      return { finishedAt: inMs(-100), reason: "past_deadline" };
  }
}

export type DeliveryOptions = Partial<DeliveryRow> & { source?: "reminder" | "notice" };

/**
 * A delivery of an opened occurrence (or of a notice), with its whole chain above it. An attempted one has its last
 * `attempts` row: begun while `sending`, settled otherwise.
 */
export async function makeDelivery(options: DeliveryOptions = {}): Promise<DeliveryRow> {
  const { source = "reminder", ...overrides } = options;
  const { channel = "email", state = "ready" } = overrides;
  const subscriberId = overrides.subscriberId ?? (await makeSubscriber()).id;
  const destinationId = overrides.destinationId ?? (await makeDestination(subscriberId, { channel })).id;
  const origin = await originOf(source, { ...overrides, subscriberId, channel, destinationId });
  const payload: { id: string } = await insert("payloads", {
    id: randomUUID(),
    sourceId: randomUUID(),
    channel,
    version: 1,
    content: { text: "Water the plants" },
    cost: 1,
    createdAt: inMs(0),
  });
  const { key, ...links } = origin;
  const row: DeliveryRow = await insert("deliveries", {
    id: randomUUID(),
    key,
    reference: deliveryReference(key),
    ...links,
    subscriberId,
    channel,
    destinationId,
    partition: overrides.partition ?? (await makePartition({ channel })),
    lane: source === "notice" ? "urgent" : "standard",
    flow: subscriberId,
    cost: 1,
    state,
    scheduledAt: inMs(0),
    expiresAt: inMs(86_400_000),
    createdAt: inMs(0),
    payloadId: payload.id,
    version: 1,
    owner: 1,
    ...stateOf(state),
    ...overrides,
  });
  if (row.attemptCount > 0) await makeAttempt(row);
  return row;
}

async function originOf(source: "reminder" | "notice", row: Partial<DeliveryRow>) {
  const { subscriberId = "", channel = "email" } = row;
  const device = channel === "push" ? { deviceId: row.destinationId ?? "" } : {};
  if (source === "notice") {
    const noticeId = randomUUID();
    const { destinationId } = row;
    await insert("notices", {
      id: noticeId,
      subscriberId,
      destinationId,
      template: "sign-in-code",
      createdAt: inMs(0),
    });
    return { key: deliveryKey({ source, noticeId, subscriberId, channel, ...device }), noticeId };
  }
  let { occurrenceId } = row;
  let reminderId = randomUUID() as string;
  if (occurrenceId === undefined || occurrenceId === null) {
    const made = await makeReminder({ subscriberId, channels: [channel], dueInMs: 0, state: "opened" });
    occurrenceId = made.occurrence.id;
    reminderId = made.reminder.id;
  }
  return {
    key: deliveryKey({ source, reminderId, occurrenceId, subscriberId, channel, ...device }),
    occurrenceId,
  };
}

function makeAttempt(row: DeliveryRow): Promise<unknown> {
  const isOver = row.state !== "sending";
  return insert("attempts", {
    id: randomUUID(),
    deliveryId: row.id,
    number: row.attemptCount,
    token: row.token,
    runId: "run-0",
    epoch: 1,
    slotAt: inMs(-500),
    begunAt: inMs(-500),
    ...(isOver ? { settledAt: inMs(-200), class: row.lastClass ?? "transient" } : {}),
  });
}

/** Deliveries of one partition, made alike. */
export async function makeDeliveries(count: number, options: DeliveryOptions = {}): Promise<DeliveryRow[]> {
  const made: DeliveryRow[] = [];
  for (let index = 0; index < count; index += 1) made.push(await makeDelivery(options));
  return made;
}
