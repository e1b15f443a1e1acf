import { beforeEach, describe, expect, test } from "vitest";
import { admit } from "../../db/admission/admit";
import { database, transact } from "../../db/connection";
import { endWaiting, expireDue } from "../../db/ledger/expire";
import { CODE_USEFUL_SECONDS, type NoticeInput, openNotice } from "../../db/notices";
import type { Outcome } from "../../db/rules/outcome";
import * as schema from "../../db/schema";
import { testClock } from "../support/database";
import { emptyLedger, inMs, makeDelivery, makeDestination, makeSubscriber } from "../support/factories";
import { ACCEPTED, admitRows, begin, contentOf, expireLease, readDelivery, settle } from "../support/ledger";

beforeEach(emptyLedger);

async function open(
  overrides: Partial<NoticeInput> & { channel?: "email" | "sms"; state?: "active" | "suppressed" } = {},
) {
  const { channel = "email", state = "active", ...input } = overrides;
  const subscriberId = input.subscriberId ?? (await makeSubscriber()).id;
  const destinationId =
    input.destinationId ?? (await makeDestination(subscriberId, { channel, state, verifiedAt: null })).id;
  const result = await openNotice({
    subscriberId,
    destinationId,
    template: "sign-in-code",
    content: { text: "Your code is 123456" },
    cost: 1,
    ...input,
  });
  return { subscriberId, destinationId, result };
}

async function opened(overrides: Parameters<typeof open>[0] = {}) {
  const { result, ...ids } = await open(overrides);
  if (!result.ok) throw new Error(JSON.stringify(result.problem));
  return { ...ids, ...result.value };
}

async function begun(overrides: Parameters<typeof open>[0] = {}) {
  const { deliveryId, partition } = await opened(overrides);
  await admit(partition);
  return { id: deliveryId, claimed: await begin(await readDelivery(deliveryId)) };
}

test("a code is ready at once, urgent, useful for ten minutes, and goes to an address that is not proved yet", async () => {
  const { deliveryId, partition, destinationId } = await opened();
  expect(await readDelivery(deliveryId)).toMatchObject({
    state: "ready",
    lane: "urgent",
    occurrenceId: null,
    destinationId,
    expiresAt: inMs(CODE_USEFUL_SECONDS * 1000),
  });
  const { parcels } = await admit(partition);
  expect(parcels).toMatchObject([{ lane: "urgent", deliveryIds: [deliveryId] }]);
  expect((await begin(await readDelivery(deliveryId))).content).toMatchObject({
    text: "Your code is 123456",
  });
});

describe("refused, with nothing stored", () => {
  const nothing = async () => {
    for (const table of [schema.notices, schema.payloads, schema.deliveries]) {
      expect(await database().select().from(table)).toEqual([]);
    }
  };

  test("an address that takes no messages, or is somebody else's", async () => {
    expect((await open({ state: "suppressed" })).result).toMatchObject({ problem: { code: "conflict" } });
    const other = await makeDestination((await makeSubscriber()).id);
    expect((await open({ destinationId: other.id })).result).toMatchObject({
      problem: { code: "not_found" },
    });
    await nothing();
  });

  test("the sixth code in ten minutes, also when all are asked for at once", async () => {
    const subscriber = await makeSubscriber();
    const destination = await makeDestination(subscriber.id);
    const ask = () => open({ subscriberId: subscriber.id, destinationId: destination.id });
    const answers = await Promise.all(Array.from({ length: 12 }, ask));
    expect(answers.filter(({ result }) => result.ok)).toHaveLength(5);
    expect((await ask()).result).toMatchObject({
      problem: { code: "rate_limited", retryAfterSeconds: CODE_USEFUL_SECONDS },
    });
    await testClock.advance(CODE_USEFUL_SECONDS * 1000);
    expect((await ask()).result.ok).toBe(true);
  });
});

describe("what a code said is wiped at every ending", () => {
  const outcomes: [string, Outcome, string][] = [
    ["accepted", ACCEPTED, "delivered"],
    ["its message refused", { class: "message_rejected" }, "dead"],
    ["its address refused", { class: "destination_rejected", disposition: "dead" }, "dead"],
    ["its address gone", { class: "destination_rejected", disposition: "gone" }, "expired"],
  ];

  test.each(outcomes)("%s", async (_name, outcome, state) => {
    const { id, claimed } = await begun();
    expect(await contentOf(id)).not.toBeNull();
    await settle(claimed, outcome);
    expect(await readDelivery(id)).toMatchObject({ state });
    expect(await contentOf(id)).toBeNull();
  });

  test("useless", async () => {
    const { deliveryId } = await opened();
    await testClock.advance(CODE_USEFUL_SECONDS * 1000);
    await transact((tx) => expireDue(tx, { partition: null, limit: 10 }));
    expect(await readDelivery(deliveryId)).toMatchObject({ state: "expired", reason: "past_deadline" });
    expect(await contentOf(deliveryId)).toBeNull();
  });

  test("ended while it waits", async () => {
    const { deliveryId } = await opened();
    await transact((tx) => endWaiting(tx, [deliveryId], "opted_out"));
    expect(await contentOf(deliveryId)).toBeNull();
  });

  test("an SMS whose outcome nobody knows, after a crash", async () => {
    const { id } = await begun({ channel: "sms" });
    await expireLease(id);
    expect(await readDelivery(id)).toMatchObject({ state: "dead", reason: "outcome_unknown" });
    expect(await contentOf(id)).toBeNull();
  });

  test("and late acceptance of a wiped one is acceptance all the same", async () => {
    const { id, claimed } = await begun({ channel: "sms" });
    await expireLease(id);
    await settle(claimed, ACCEPTED);
    expect(await readDelivery(id)).toMatchObject({ state: "delivered" });
  });

  test("but not while it may still be sent again", async () => {
    const { id, claimed } = await begun();
    await settle(claimed, { class: "throttled", retryAfterMs: 2000, scope: "partition" });
    expect(await readDelivery(id)).toMatchObject({ state: "deferred" });
    expect(await contentOf(id)).toMatchObject({ text: "Your code is 123456" });
  });
});

test("a reminder's content stays: its story is told from it", async () => {
  const row = await makeDelivery();
  await admitRows([row.id]);
  await settle(await begin(row), ACCEPTED);
  expect(await contentOf(row.id)).not.toBeNull();
});
