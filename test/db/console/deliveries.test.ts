import postgres from "postgres";
import { beforeEach, describe, expect, test } from "vitest";
import { type DeliveryFilters, listDeliveries, OWN_MAX } from "../../../db/console/deliveries";
import { readDeliveryStory } from "../../../db/console/delivery";
import { settleAttempts } from "../../../db/ledger/settle";
import { databaseUrl } from "../../support/database";
import { emptyLedger, inMs, makeDelivery, makePartition } from "../../support/factories";
import { admitRows, begin, ended } from "../../support/ledger";
import { fillDeliveries, fillPartition } from "../../support/ledger-fill";

beforeEach(emptyLedger);

/** Every reference that paging meets, in its order. */
async function pages(
  filters: DeliveryFilters,
  limit: number,
  between?: () => Promise<unknown>,
): Promise<string[]> {
  const seen: string[] = [];
  for (let after: string | undefined; ; ) {
    const page = await listDeliveries(filters, { limit, ...(after === undefined ? {} : { after }) });
    if (!page.ok) throw new Error(page.problem.code);
    seen.push(...page.value.deliveries.map((line) => line.reference));
    if (page.value.next === null) return seen;
    after = page.value.next;
    await between?.();
  }
}

describe("paging through the ledger", () => {
  test("meets every delivery once, whatever was opened in the same instant", async () => {
    const partition = await makePartition();
    const made = [];
    for (let index = 0; index < 23; index += 1)
      made.push(await makeDelivery({ partition, createdAt: inMs(-Math.floor(index / 7) * 1000) }));
    const seen = await pages({}, 5);
    expect(seen).toHaveLength(23);
    expect(new Set(seen)).toEqual(new Set(made.map((row) => row.reference)));
  });

  test("skips nothing and repeats nothing while new deliveries are opened", async () => {
    const partition = await makePartition();
    const before: string[] = [];
    for (let index = 0; index < 12; index += 1)
      before.push((await makeDelivery({ partition, createdAt: inMs(-index * 10 - 1000) })).reference);
    const seen = await pages({}, 4, () => makeDelivery({ partition, createdAt: inMs(0) }));
    expect(seen).toEqual(before);
  });

  test("narrows by state, reason, channel, partition, lane and last answer, all at once", async () => {
    const partition = await makePartition({ channel: "sms" });
    const wanted = await makeDelivery({
      channel: "sms",
      partition,
      state: "dead",
      reason: "message_rejected",
      lastClass: "message_rejected",
    });
    await makeDelivery({ channel: "sms", partition, state: "dead" });
    await makeDelivery({ state: "dead", reason: "message_rejected" });
    await makeDelivery({ channel: "sms", partition });
    const filters = {
      state: "dead",
      reason: "message_rejected",
      channel: "sms",
      partition,
      lane: "standard",
      lastClass: "message_rejected",
    } as const;
    expect(await pages(filters, 10)).toEqual([wanted.reference]);
  });

  test("finds what belongs to one subscriber and to one reminder", async () => {
    const mine = await makeDelivery({ state: "delivered" });
    await makeDelivery({ state: "delivered" });
    const story = await readDeliveryStory(mine.reference);
    expect(await pages({ subscriberId: mine.subscriberId }, 10)).toEqual([mine.reference]);
    expect(await pages({ reminderId: story?.delivery.reminderId ?? "" }, 10)).toEqual([mine.reference]);
  });

  test("finds a subscriber who has more than are named one by one, and nobody else's rows", async () => {
    const client = postgres(databaseUrl, { max: 1, onnotice: () => {} });
    try {
      await client`set session_replication_role = replica`;
      const partition = await fillPartition(client, { key: "email:many", channel: "email", ceiling: 100 });
      const rows = { channel: "email", partition, state: "delivered" } as const;
      const subscriberId = await fillDeliveries(client, { ...rows, count: OWN_MAX + 5 });
      await fillDeliveries(client, { ...rows, count: 20 });
      const seen = await pages({ subscriberId }, 500);
      expect(seen).toHaveLength(OWN_MAX + 5);
      expect(new Set(seen).size).toBe(OWN_MAX + 5);
    } finally {
      await client.end();
    }
  });

  test("a place that was not written here is refused, not guessed at", async () => {
    for (const after of ["x", "zzzzzzzzzzzzzzzz.1", "1.00000000-0000-4000-8000-00000000000g", "-1.a"])
      expect(await listDeliveries({}, { limit: 5, after })).toMatchObject({
        ok: false,
        problem: { code: "not_found" },
      });
  });
});

describe("one delivery's story", () => {
  test("has every call with what the provider said, and is found by key and by reference", async () => {
    const row = await makeDelivery({ state: "ready" });
    await admitRows([row.id]);
    const claimed = await begin(row);
    const outcome = { class: "throttled", retryAfterMs: 30_000, scope: "partition" } as const;
    const call = ended(claimed, outcome, { status: 429, code: "rate_limit_exceeded", retryAfterRaw: "30" });
    await settleAttempts(claimed.partition, [call]);
    const story = await readDeliveryStory(row.key);
    expect(story?.calls).toMatchObject([
      { number: 1, class: "throttled", status: 429, code: "rate_limit_exceeded", retryAfter: "30" },
    ]);
    expect(story?.delivery).toMatchObject({ state: "deferred", throttles: 1, failures: 0 });
    expect(story?.forecast).not.toBeNull();
    expect((await readDeliveryStory(row.reference))?.delivery.key).toBe(row.key);
  });

  test("of a name that is nobody's is none", async () => {
    for (const name of ["", "x", "a".repeat(32), "'; drop table deliveries; --"])
      expect(await readDeliveryStory(name)).toBeNull();
  });
});
