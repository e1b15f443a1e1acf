import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { database, rows } from "../../../db/connection";
import { linkToken } from "../../../inngest/messages/links";
import { makeDestination, makePartition, makeReminder, makeSubscriber } from "../../support/factories";
import { makeDead, makeUnknown, started } from "../../support/redrives";
import { follow, record } from "../../support/shipments";
import type { People } from "../access/people";
import type { Place } from "../access/places";

/** What there is to act on; made anew for each place, because the inputs before may have ended it. */
export interface Subjects {
  reminder: string;
  device: string;
  parcel: string;
  parcelName: string;
  subscriber: string;
  partition: string;
  delivery: string;
  redrive: string;
  token: string;
}

export async function makeSubjects(people: People): Promise<Subjects> {
  const owner = people.owner.subscriberId ?? "";
  const subscriber = `ada-${randomUUID()}`;
  const ada = await makeSubscriber({ externalId: subscriber });
  for (const channel of ["email", "sms", "push"] as const) await makeDestination(ada.id, { channel });
  const partition = await makePartition({ channel: "email" });
  const dead = await makeUnknown(partition);
  await makeDead(2, partition);
  const { reminder } = await makeReminder({ subscriberId: owner });
  const device = await makeDestination(owner, { channel: "push" });
  const parcelName = `parcel-${randomUUID()}`;
  await record({ shipment: parcelName });
  await follow(ada.id, { shipment: parcelName });
  const [parcel] = await rows<{ id: string }>(
    database(),
    sql`select id from shipments where external_id = ${parcelName}`,
  );
  return {
    reminder: reminder.id,
    device: device.id,
    parcel: parcel?.id ?? "",
    parcelName,
    subscriber,
    partition,
    delivery: dead.reference,
    redrive: await started({ filter: { partition } }),
    token: linkToken(reminder.id),
  };
}

/** The parameters of a place's path, by their names. */
export function parametersOf({ name }: Place, subjects: Subjects): Record<string, string> {
  const isApi = name.startsWith("app/api/v1/");
  const parcel = isApi ? subjects.parcelName : subjects.parcel;
  const id = name.includes("shipments")
    ? parcel
    : name.includes("redrives")
      ? subjects.redrive
      : subjects.reminder;
  return {
    id,
    key: encodeURIComponent(subjects.partition),
    reference: subjects.delivery,
    token: subjects.token,
    externalId: subjects.subscriber,
    subscriber: subjects.subscriber,
  };
}

const ENDPOINT = "https://fcm.googleapis.com/fcm/send/fuzz";
const P256DH = "BEMipZr99gRlGLpNvss92kHs-emkSUyVU9h4gAjGLFnli9s8jpg96O97lcxKqsfj6k6buJ9UBD38ha74tOBo-Sk";
const pushSubscription = { endpoint: ENDPOINT, keys: { p256dh: P256DH, auth: "AAAAAAAAAAAAAAAAAAAAAA" } };

const event = (type: string, reference: string) => ({
  type,
  created_at: "2026-11-30T12:00:00.000Z",
  data: { email_id: "e-1", tags: { delivery_id: reference }, bounce: { type: "Permanent" } },
});

const scan = (shipment: string) => ({
  eventId: "scan-1",
  shipment,
  order: "order-1",
  carrier: "DHL",
  trackingNumber: "0034",
  status: "delivered",
  occurredAt: "2026-11-30T12:00:00Z",
  detail: "left at the door",
  location: "Berlin",
  pickUpCode: "1234",
  expectedOn: "2026-12-01",
  url: "https://carrier.example/0034",
});

const aftership = (number: string) => ({
  event: "tracking_update",
  event_id: "a-1",
  ts: 1_780_000_000,
  msg: {
    tracking_number: number,
    slug: "dhl",
    order_id: "order-1",
    tag: "Delivered",
    return_to_sender: false,
    expected_delivery: "2026-12-01",
    checkpoints: [{ checkpoint_time: "2026-11-30T12:00:00+01:00", message: "ok", location: "Berlin" }],
  },
});

/** Bodies that are accepted, for every handler that reads one; the inputs are changed copies of them. */
export function goodBodies(place: string, subjects: Subjects): unknown[] | undefined {
  const dueAt = "2026-12-24T09:00:00+01:00";
  const title = "Water the plants";
  const bodies: Record<string, unknown[]> = {
    "app/api/answers/[token]/route.ts POST": [{ action: "snooze" }],
    "app/api/auth/[...all]/route.ts POST": [{ email: "ada@shopper.example", otp: "123456", token: "x" }],
    "app/api/devices/route.ts POST": [{ subscription: pushSubscription, replaces: `${ENDPOINT}-1` }],
    "app/api/unsubscribe/[token]/route.ts POST": ["List-Unsubscribe=One-Click"],
    "app/api/v1/notices/route.ts POST": [
      {
        subscriber: subjects.subscriber,
        template: "fraud-alert",
        channels: ["email", "sms"],
        detail: "A new sign-in",
        url: "https://shop.example/account",
        expiresAfterSeconds: 600,
      },
    ],
    "app/api/v1/reminders/route.ts POST": [
      { subscriber: subjects.subscriber, title, dueAt, channels: ["email"] },
      {
        subscriber: subjects.subscriber,
        title,
        note: "twice",
        url: "https://shop.example/p/1",
        dueAt: { local: "2026-12-24T09:00", timeZone: "Europe/Berlin" },
        repeat: "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR;COUNT=10",
        channels: ["email", "sms", "push"],
        nextChannelAfterMinutes: 10,
        expiresAfterSeconds: 10_800,
      },
    ],
    "app/api/v1/reminders/[id]/route.ts PATCH": [
      { title, note: null, dueAt, channels: ["email"], repeat: "FREQ=DAILY;COUNT=3" },
    ],
    "app/api/v1/reminders/[id]/snooze/route.ts POST": [{ minutes: 10 }, { dueAt }],
    "app/api/v1/shipments/events/route.ts POST": [
      scan(subjects.parcelName),
      { events: [scan(subjects.parcelName), scan("other")] },
      aftership(subjects.parcelName),
    ],
    "app/api/v1/shipments/[id]/followers/[subscriber]/route.ts PUT": [
      { channels: ["email"], milestones: ["delivered"], policy: "latest" },
    ],
    "app/api/v1/subscribers/[externalId]/route.ts PUT": [
      {
        email: "ada@shopper.example",
        phone: "+12025550123",
        pushSubscriptions: [pushSubscription],
        timeZone: "Europe/Berlin",
        locale: "de",
        verified: true,
      },
    ],
    "app/api/webhooks/resend/route.ts POST": [
      event("email.delivered", subjects.delivery),
      event("email.bounced", subjects.delivery),
      event("email.complained", "nobody"),
    ],
    "app/api/webhooks/twilio/route.ts POST": [
      { MessageSid: "SM1", MessageStatus: "delivered", To: "+12025550123", From: "+15005550006" },
      { MessageSid: "SM2", SmsStatus: "received", Body: "STOP", From: "+12025550123", To: "+15005550006" },
      { MessageSid: "SM3", MessageStatus: "undelivered", ErrorCode: "30006" },
    ],
  };
  return bodies[place];
}
