import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { database, rows, transact } from "../../db/connection";
import {
  claimUnpublished,
  markPublished,
  readOutboxLag,
  releaseUnpublished,
  stageDeaths,
  stageEvents,
} from "../../db/outbox";
import { testClock } from "../support/database";
import { emptyLedger, makeDelivery } from "../support/factories";
import { readOutbox } from "../support/ledger";

beforeEach(emptyLedger);

const CLAIM_MS = 20_000;
const RETRY_MS = 5_000;

const ring = (generation: number) =>
  ({ name: "partition/pump.rung", data: { v: 1, partition: "email:resend:x", generation } }) as const;

const stage = (...events: Parameters<typeof stageEvents>[1]) => transact((tx) => stageEvents(tx, events));

describe("staging", () => {
  test("an event exists exactly when its fact does", async () => {
    await expect(
      transact(async (tx) => {
        await stageEvents(tx, [ring(1)]);
        throw new Error("the fact was not committed");
      }),
    ).rejects.toThrow("not committed");
    expect(await readOutbox("partition/pump.rung")).toEqual([]);
    await stage(ring(2));
    const [event] = await readOutbox("partition/pump.rung");
    expect(event).toMatchObject({ data: ring(2).data, publishedAt: null, tries: 0 });
    expect(event?.eventId).toBe(event?.id);
  });

  test("an event of another shape than its catalog entry is refused, and with it the transaction", async () => {
    const wrong = { name: "partition/pump.rung", data: { v: 1, partition: "", generation: 1 } } as const;
    await expect(stage(ring(1), wrong)).rejects.toThrow();
    expect(await readOutbox("partition/pump.rung")).toEqual([]);
    await stage();
    const extra = { ...ring(3), data: { ...ring(3).data, address: "ada@shopper.example" } };
    await stage(extra);
    expect((await readOutbox("partition/pump.rung"))[0]?.data).toEqual(ring(3).data);
  });

  test("a burial is announced once per burial id; what is not dead is not", async () => {
    const dead = await makeDelivery({ state: "dead" });
    const ready = await makeDelivery();
    await transact((tx) => stageDeaths(tx, [dead.id, ready.id]));
    await transact((tx) => stageDeaths(tx, []));
    expect(await readOutbox("delivery/dead")).toMatchObject([
      { eventId: `dead:${dead.burialId}`, data: { deliveryId: dead.id, reason: "attempts_exhausted" } },
    ]);
  });
});

describe("publishing", () => {
  test("not before its time, the oldest first, a bounded number", async () => {
    await stage(
      { ...ring(1), notBeforeMs: testClock.nowMs() + 1000 },
      { ...ring(2), notBeforeMs: testClock.nowMs() - 1000 },
      ring(3),
    );
    const generations = async (limit: number) =>
      (await claimUnpublished(limit))
        .map((row) => (row.data as { generation: number }).generation)
        .toSorted();
    expect(await generations(1)).toEqual([2]);
    expect(await generations(5)).toEqual([3]);
    expect(await generations(5)).toEqual([]);
    await testClock.advance(1000);
    expect(await generations(5)).toEqual([1]);
  });

  test("two publishers never hold the same row", async () => {
    await stage(...Array.from({ length: 60 }, (_, index) => ring(index + 1)));
    const claims = await Promise.all(Array.from({ length: 6 }, () => claimUnpublished(20)));
    const ids = claims.flat().map((row) => row.id);
    expect(ids).toHaveLength(60);
    expect(new Set(ids).size).toBe(60);
  });

  test("a publisher that dies leaves a claim that runs out; the next one takes over, and both tries are counted", async () => {
    await stage(ring(1));
    const [first] = await claimUnpublished(1);
    expect(first?.tries).toBe(1);
    await testClock.advance(CLAIM_MS - 1);
    expect(await claimUnpublished(1)).toEqual([]);
    await testClock.advance(1);
    expect(await claimUnpublished(1)).toMatchObject([{ id: first?.id, eventId: first?.eventId, tries: 2 }]);
  });

  test("a refused row is tried again after a short wait, a published one never", async () => {
    await stage(ring(1), ring(2));
    const [one, two] = await claimUnpublished(2);
    await markPublished([one?.id ?? ""]);
    await releaseUnpublished([one?.id ?? "", two?.id ?? ""]);
    await markPublished([]);
    await releaseUnpublished([]);
    expect(await claimUnpublished(2)).toEqual([]);
    await testClock.advance(RETRY_MS);
    expect((await claimUnpublished(2)).map((row) => row.id)).toEqual([two?.id]);
    await testClock.advance(86_400_000);
    expect((await claimUnpublished(2)).map((row) => row.id)).toEqual([two?.id]);
  });

  test("marking twice keeps the first instant", async () => {
    await stage(ring(1));
    const [row] = await claimUnpublished(1);
    await markPublished([row?.id ?? ""]);
    const [first] = await readOutbox("partition/pump.rung");
    await testClock.advance(5000);
    await markPublished([row?.id ?? ""]);
    expect(await readOutbox("partition/pump.rung")).toEqual([first]);
  });

  test("the lag counts what is due and unpublished", async () => {
    expect(await readOutboxLag()).toEqual({ waiting: 0, oldestMs: null });
    const nowMs = testClock.nowMs();
    await stage({ ...ring(1), notBeforeMs: nowMs - 4000 }, ring(2), {
      ...ring(3),
      notBeforeMs: nowMs + 9000,
    });
    expect(await readOutboxLag()).toEqual({ waiting: 2, oldestMs: nowMs - 4000 });
  });
});

test("events carry ids and nothing personal", async () => {
  await stage(ring(1));
  const found = await rows(database(), sql`select 1 from outbox where data::text ~* '@|\\+[0-9]{6}|https?:'`);
  expect(found).toEqual([]);
});
