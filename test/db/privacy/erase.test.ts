import { createHash } from "node:crypto";
import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { admit } from "../../../db/admission/admit";
import { cleanLedger } from "../../../db/cleanup/clean";
import { wipeContents } from "../../../db/cleanup/remove";
import { approveRetention } from "../../../db/cleanup/retention";
import { database, rows, transact } from "../../../db/connection";
import { checkInvariants } from "../../../db/console/invariants";
import { openDeliveries } from "../../../db/ledger/open";
import { openNotice } from "../../../db/notices";
import { eraseSubscriber } from "../../../db/privacy/erase";
import { exportSubscriber } from "../../../db/privacy/export";
import { findPerson } from "../../../db/privacy/find";
import { scheduleReminder } from "../../../db/reminders/schedule";
import { linkSubscriber } from "../../../db/sign-in-subscriber";
import { findSuppressions, suppress } from "../../../db/suppressions";
import { log } from "../../../inngest/log";
import { testClock } from "../../support/database";
import { emptyLedger, inMs, makeDelivery, makeDestination, makeSubscriber } from "../../support/factories";
import { ACCEPTED, begin, claim, readDelivery, renderPayloads, settle } from "../../support/ledger";
import { follow, record } from "../../support/shipments";

beforeEach(emptyLedger);

const BY = { name: "grace", reason: "they asked" };
const USER = "user-of-planted";

/** Whatever is told about a person, recognisable wherever it lands. */
const PLANTED = {
  externalId: "planted-customer-4711",
  email: "planted.lovelace@shopper.example",
  phone: "+12025550142",
  endpoint: "http://127.0.0.1:9/push/planted-endpoint",
  p256dh: "planted-p256dh",
  title: "planted: call the clinic",
  note: "planted: about the results",
  url: "https://shop.example/planted-order",
  code: "planted code 918273",
  device: "planted phone of Ada",
  agent: "planted browser",
  detail: "planted words of a provider",
  tracking: "planted-tracking-99",
  order: "planted-order-7",
  orderHash: createHash("md5").update("planted-order-7").digest("hex"),
  pickUp: "planted-pick-up",
};

async function plant() {
  const subscriber = await makeSubscriber({ externalId: PLANTED.externalId, userId: USER });
  const email = await makeDestination(subscriber.id, { address: PLANTED.email });
  await makeDestination(subscriber.id, { channel: "sms", address: PLANTED.phone });
  await makeDestination(subscriber.id, {
    ...{ channel: "push", address: PLANTED.endpoint, p256dh: PLANTED.p256dh, label: PLANTED.device },
  });
  await plantAccount();
  const scheduled = await scheduleReminder(
    {
      ...{ owner: { kind: "shop" }, subscriberId: subscriber.id, title: PLANTED.title, note: PLANTED.note },
      ...{ url: PLANTED.url, dueAt: inMs(1000).toISOString(), channels: ["email", "sms", "push"] },
      expiresAfterSeconds: 3600,
    },
    { scope: "api:1:reminders", key: "planted", bodyHash: "hash" },
  );
  if (!scheduled.ok) throw new Error(JSON.stringify(scheduled.problem));
  const { id: occurrenceId } = scheduled.value.value.occurrence;
  await storeContents(occurrenceId);
  const { partitions } = await openDeliveries([occurrenceId]);
  await openNotice({
    ...{ subscriberId: subscriber.id, destinationId: email.id, template: "sign-in-code" as const },
    ...{ content: { text: PLANTED.code }, cost: 1 },
  });
  const dead = await makeDelivery({ subscriberId: subscriber.id, destinationId: email.id, state: "dead" });
  // As a parcel's messages have it.
  await rows(
    database(),
    sql`update deliveries set flow = ${`order:${PLANTED.orderHash}`} where id = ${dead.id}::uuid`,
  );
  await record({ shipment: "parcel-1", order: PLANTED.order });
  await follow(subscriber.id);
  await rows(database(), sql`update shipments set tracking_number = ${PLANTED.tracking}`);
  await rows(database(), sql`update shipment_events set pick_up_code = ${PLANTED.pickUp}`);
  await transact((tx) =>
    suppress(tx, { channel: "sms", address: PLANTED.phone, scope: "*", reason: "opted_out" }),
  );
  return { subscriberId: subscriber.id, partitions, dead };
}

async function plantAccount(): Promise<void> {
  await rows(
    database(),
    sql`insert into auth_users (id, name, email, email_verified, created_at, updated_at)
      values (${USER}, '', ${PLANTED.email}, true, now(), now())`,
  );
  await rows(
    database(),
    sql`insert into auth_sessions (id, token, user_id, expires_at, ip_address, user_agent, created_at, updated_at)
      values ('s1', 't1', ${USER}, now(), '203.0.113.7', ${PLANTED.agent}, now(), now())`,
  );
  await rows(
    database(),
    sql`insert into auth_verifications (id, identifier, value, expires_at, created_at, updated_at)
      values ('v1', ${`sign-in-otp-${PLANTED.email}`}, 'x', now(), now(), now())`,
  );
}

async function storeContents(occurrenceId: string): Promise<void> {
  await renderPayloads({ id: occurrenceId, version: 1 });
  // Contents never change, so they are planted beside the guard.
  await rows(database(), sql`alter table payloads disable trigger payloads_guard`);
  await rows(
    database(),
    sql`update payloads set content = jsonb_build_object('text', ${PLANTED.title}::text, 'to', ${PLANTED.email}::text)`,
  );
  await rows(database(), sql`alter table payloads enable trigger payloads_guard`);
}

/** Where anything planted still stands: every column of every table, as text. */
async function traces(): Promise<string[]> {
  const tables = await rows<{ name: string }>(
    database(),
    sql`select table_name as name from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE'`,
  );
  expect(tables.length).toBeGreaterThan(35);
  const found: string[] = [];
  for (const { name } of tables) {
    const lines = await rows<{ line: string }>(
      database(),
      sql`select to_jsonb(t)::text as line from ${sql.identifier(name)} t`,
    );
    for (const { line } of lines) {
      for (const [what, text] of Object.entries(PLANTED))
        if (line.toLowerCase().includes(text.toLowerCase())) found.push(`${name}: ${what}`);
    }
  }
  return [...new Set(found)].sort();
}

test("after erasure nothing of a person is in any column of any table, nor in a log line", async () => {
  const told: string[] = [];
  for (const level of ["info", "warn", "error"] as const)
    vi.spyOn(log, level).mockImplementation((...values) => void told.push(JSON.stringify(values)));
  const { subscriberId, dead } = await plant();
  await rows(database(), sql`alter table attempts disable trigger attempts_guard`);
  await rows(
    database(),
    sql`update attempts set detail = ${PLANTED.detail} where delivery_id = ${dead.id}::uuid`,
  );
  await rows(database(), sql`alter table attempts enable trigger attempts_guard`);
  const places = new Set((await traces()).map((line) => line.split(": ")[1]));
  expect([...places].sort(), "everything was planted somewhere").toEqual(Object.keys(PLANTED).sort());
  expect(await eraseSubscriber(subscriberId, BY)).toMatchObject({
    ok: true,
    value: { reminders: 2, addresses: 3 },
  });
  expect(await traces()).toEqual([]);
  vi.restoreAllMocks();
  for (const text of Object.values(PLANTED)) expect(told.join("\n")).not.toContain(text);
});

test("an account that has not met its subscriber yet is erased too, and nobody is made anew of it", async () => {
  const email = "unlinked@shopper.example";
  for (let round = 0; round < 3; round += 1) {
    const { id } = await makeSubscriber();
    await makeDestination(id, { address: email });
    const userId = `user-${round}`;
    await rows(
      database(),
      sql`insert into auth_users (id, name, email, email_verified, created_at, updated_at)
        values (${userId}, '', ${email}, true, now(), now())`,
    );
    const [erased] = await Promise.all([eraseSubscriber(id, BY), linkSubscriber(userId, email)]);
    expect(erased.ok).toBe(true);
    expect(await linkSubscriber(userId, email)).toBeNull();
    const left = await rows(
      database(),
      sql`select address from destinations where address = ${email}
        union all select email from auth_users where email = ${email}`,
    );
    expect(left, `round ${round}`).toEqual([]);
  }
});

test("what waited ends as erased, nothing goes out after, the promises hold, and a stop is remembered", async () => {
  const { subscriberId, partitions } = await plant();
  await testClock.advance(2000);
  const [email] = await rows<{ id: string }>(
    database(),
    sql`select id from deliveries where channel = 'email' and occurrence_id is not null and state = 'scheduled'`,
  );
  await rows(
    database(),
    sql`update deliveries set state = 'ready', pass = 1, next_eligible_at = null where id = ${email?.id}::uuid`,
  );
  for (const partition of partitions) await admit(partition);
  const sending = await begin(await readDelivery(email?.id ?? ""));
  const erased = await eraseSubscriber(subscriberId, BY);
  expect(erased.ok && erased.value.ended).toBeGreaterThan(1);
  // The call that was under way did not get through; nothing follows it.
  await settle(sending, { class: "transient" });
  await testClock.advance(120_000);
  for (const partition of partitions) {
    const { parcels } = await admit(partition);
    const admitted = await Promise.all(parcels.flatMap(({ deliveryIds }) => deliveryIds).map(readDelivery));
    if (admitted.length > 0) expect((await claim(admitted)).begun).toEqual([]);
  }
  const left = await rows<{ state: string; reason: string | null }>(
    database(),
    sql`select distinct state, reason from deliveries where subscriber_id = ${subscriberId}::uuid
      and state <> 'dead' order by 1, 2`,
  );
  // The call that was under way ended with the reminder that it was for.
  expect(left).toEqual([
    { state: "expired", reason: "cancelled" },
    { state: "expired", reason: "erased" },
  ]);
  const invariants = await checkInvariants();
  expect(invariants.checks.filter(({ violations }) => violations > 0)).toEqual([]);
  expect(await findSuppressions("sms", PLANTED.phone)).toHaveLength(1);
});

test("a call that is accepted while its reader is erased counts as delivered", async () => {
  const subscriber = await makeSubscriber();
  const row = await makeDelivery({
    subscriberId: subscriber.id,
    state: "ready",
    admissionId: crypto.randomUUID(),
    admittedUntil: inMs(10_000),
  });
  const sending = await begin(await readDelivery(row.id));
  expect(await eraseSubscriber(subscriber.id, BY)).toMatchObject({ ok: true });
  await settle(sending, ACCEPTED);
  expect(await readDelivery(row.id)).toMatchObject({ state: "delivered" });
});

describe("an erasure", () => {
  test("leaves everybody else as they were, and again changes nothing", async () => {
    const { subscriberId } = await plant();
    const neighbour = await makeDelivery({ state: "ready" });
    expect(await eraseSubscriber(subscriberId, BY)).toMatchObject({ ok: true });
    expect(await eraseSubscriber(subscriberId, BY)).toMatchObject({
      ok: true,
      value: { addresses: 0, ended: 0 },
    });
    expect(await readDelivery(neighbour.id)).toMatchObject({ state: "ready" });
    const [payload] = await rows(
      database(),
      sql`select content from payloads where id = ${neighbour.payloadId}::uuid`,
    );
    expect(payload).toEqual({ content: { text: "Water the plants" } });
  });

  test("ends the codes and links of this person's addresses, and nobody's whose address only contains one", async () => {
    const { id } = await makeSubscriber();
    await makeDestination(id, { address: "Ob@shopper.example" });
    const pending = {
      mine: ["sign-in-otp-ob@shopper.example", "x:0"],
      "my link": ["hash-1", JSON.stringify({ email: "ob@shopper.example" })],
      theirs: ["sign-in-otp-bob@shopper.example", "x:0"],
      "their link": ["hash-2", JSON.stringify({ email: "bob@shopper.example" })],
    };
    for (const [name, [identifier, value]] of Object.entries(pending))
      await rows(
        database(),
        sql`insert into auth_verifications (id, identifier, value, expires_at, created_at, updated_at)
          values (${name}, ${identifier}, ${value}, now(), now(), now())`,
      );
    expect(await eraseSubscriber(id, BY)).toMatchObject({ ok: true });
    const left = await rows<{ id: string }>(
      database(),
      sql`select id from auth_verifications where id in ('mine', 'my link', 'theirs', 'their link') order by id`,
    );
    expect(left.map((row) => row.id)).toEqual(["their link", "theirs"]);
  });

  test("of an operator is refused until the role is taken away; of nobody it is not found", async () => {
    const { subscriberId } = await plant();
    await rows(database(), sql`update auth_users set role = 'operator'`);
    expect(await eraseSubscriber(subscriberId, BY)).toMatchObject({
      ok: false,
      problem: { code: "conflict" },
    });
    expect(await eraseSubscriber(crypto.randomUUID(), BY)).toMatchObject({ problem: { code: "not_found" } });
  });
});

test("an export holds what a person gave, and no key of a device or session", async () => {
  const { subscriberId } = await plant();
  const exported = JSON.stringify(await exportSubscriber(subscriberId));
  for (const what of ["externalId", "email", "phone", "title", "note", "url", "device", "tracking"] as const)
    expect(exported, what).toContain(PLANTED[what]);
  for (const what of ["endpoint", "p256dh"] as const) expect(exported, what).not.toContain(PLANTED[what]);
});

test("a person is found by our id, the shop's, a proved address or number, and never by a guess", async () => {
  const { subscriberId } = await plant();
  for (const who of [subscriberId, PLANTED.externalId, PLANTED.email.toUpperCase(), PLANTED.phone])
    expect(await findPerson(who)).toEqual({ ok: true, value: { subscriberId } });
  expect(await findPerson("planted")).toMatchObject({ problem: { code: "not_found" } });
  await makeDestination((await makeSubscriber()).id, { address: PLANTED.email });
  expect(await findPerson(PLANTED.email)).toMatchObject({ problem: { code: "conflict" } });
});

test("contents are wiped when their retention has two approvals and their deliveries ended long ago", async () => {
  const old = await makeDelivery({ state: "delivered", finishedAt: inMs(-100) });
  const live = await makeDelivery({ state: "ready" });
  await testClock.advance(31 * 86_400_000);
  const contents = async () =>
    (
      await rows<{ id: string }>(
        database(),
        sql`select id from payloads where content is not null order by id`,
      )
    ).map(({ id }) => id);
  expect(await wipeContents(100)).toBe(0);
  await approveRetention("content", "slo", BY);
  await approveRetention("content", "records", { name: "olga", reason: "the law" });
  expect(await wipeContents(100)).toBe(1);
  expect(await contents()).toEqual([live.payloadId]);
  expect(await readDelivery(old.id)).toMatchObject({ state: "delivered" });
  await cleanLedger();
});
