import { sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { admit } from "../../db/admission/admit";
import { database, rows } from "../../db/connection";
import { openDeliveries } from "../../db/ledger/open";
import { openNotice } from "../../db/notices";
import { cancelReminder } from "../../db/reminders/cancel";
import { scheduleReminder } from "../../db/reminders/schedule";
import { beginSweep, endSweep } from "../../db/sweeps";
import { emptyLedger, inMs, makeDestination, makeSubscriber } from "../support/factories";
import { ACCEPTED, begin, expireLease, readDelivery, renderPayloads, settle } from "../support/ledger";

beforeEach(emptyLedger);

const SECRETS = {
  externalId: "customer-ada-4711",
  email: "ada.lovelace@shopper.example",
  phone: "+12025550142",
  endpoint: "http://127.0.0.1:9/push/secret-endpoint",
  p256dh: "device-key-p256dh",
  title: "Call the fertility clinic",
  note: "Ask about the results",
  url: "https://shop.example/private-order",
  code: "Your code is 918273",
};

/** Everything that queues, counts and tells operators: none of it may know a person. */
const LEDGER = ["deliveries", "attempts", "occurrences", "outbox", "partitions", "meters", "lanes", "sweeps"];

test("nothing personal is in the ledger: not a name, an address, a device, a word of a message", async () => {
  const subscriber = await makeSubscriber({ externalId: SECRETS.externalId });
  const email = await makeDestination(subscriber.id, { address: SECRETS.email });
  await makeDestination(subscriber.id, { channel: "sms", address: SECRETS.phone });
  await makeDestination(subscriber.id, {
    channel: "push",
    address: SECRETS.endpoint,
    p256dh: SECRETS.p256dh,
  });
  const scheduled = await scheduleReminder({
    ...{
      owner: { kind: "shop" },
      subscriberId: subscriber.id,
      title: SECRETS.title,
      note: SECRETS.note,
      url: SECRETS.url,
    },
    ...{ dueAt: inMs(1000).toISOString(), channels: ["email", "sms", "push"], expiresAfterSeconds: 3600 },
  });
  if (!scheduled.ok) throw new Error(JSON.stringify(scheduled.problem));
  const { id, occurrence } = scheduled.value.value;
  await renderPayloads({ id: occurrence.id, version: 1 });
  const { partitions } = await openDeliveries([occurrence.id]);
  await openNotice({
    ...{ subscriberId: subscriber.id, destinationId: email.id, template: "sign-in-code" as const },
    ...{ content: { text: SECRETS.code }, cost: 1 },
  });
  await rows(
    database(),
    sql`update deliveries set state = 'ready', pass = 1, next_eligible_at = null where state = 'scheduled'`,
  );
  for (const partition of partitions) {
    const { parcels } = await admit(partition);
    for (const deliveryId of parcels.flatMap((parcel) => parcel.deliveryIds)) {
      const row = await readDelivery(deliveryId);
      const claimed = await begin(row);
      if (row.channel === "sms") await expireLease(row.id);
      else await settle(claimed, row.channel === "push" ? { class: "transient" } : ACCEPTED);
    }
  }
  await cancelReminder({ kind: "shop" }, id);
  await endSweep((await beginSweep("command", 0)) ?? "", { opened: 1 });
  for (const table of LEDGER) {
    const stored = await rows<{ line: string }>(
      database(),
      sql`select to_jsonb(t)::text as line from ${sql.identifier(table)} t`,
    );
    expect(stored.length, table).toBeGreaterThan(0);
    const text = stored.map((row) => row.line).join("\n");
    for (const secret of Object.values(SECRETS)) expect(text, table).not.toContain(secret);
  }
});
