import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { database, rows } from "../../../db/connection";
import { checkInvariants } from "../../../db/console/invariants";
import { dismissDeadLetters, resolveUnknown, restoreDeadLetters } from "../../../db/redrive/dead-letters";
import { previewRedrive } from "../../../db/redrive/preview";
import { testClock } from "../../support/database";
import { type DeliveryRow, inMs, makePartition } from "../../support/factories";
import { readDelivery } from "../../support/ledger";
import { makeDead, makeUnknown, OPERATOR, tick } from "../../support/redrives";

let partition: string;

beforeEach(async () => {
  await testClock.set(Date.UTC(2031, 4, 5, 9, 30));
  partition = await makePartition({ channel: "sms" });
});

const named = (row: DeliveryRow | undefined) => ({
  deliveryId: row?.id ?? "",
  burialId: row?.burialId ?? "",
});

const actionsOn = (key: string) =>
  rows<{ action: string; operator: string; reason: string }>(
    database(),
    sql`select action, operator, reason from operator_actions where target = ${key} order by created_at, id`,
  );

describe("dismissing", () => {
  test("keeps a letter dead and out of redrives, until it is restored; both with who and why", async () => {
    const [row] = await makeDead(1, partition, { channel: "sms" });
    expect(await dismissDeadLetters([named(row)], OPERATOR)).toEqual({
      ok: true,
      value: { moved: 1, unchanged: 0 },
    });
    expect(await dismissDeadLetters([named(row)], OPERATOR)).toEqual({
      ok: true,
      value: { moved: 0, unchanged: 1 },
    });
    const preview = await previewRedrive({ filter: { partition } }, "olga");
    expect(preview.ok && preview.value.wouldSend).toBe(0);
    expect((await readDelivery(row?.id ?? "")).state).toBe("dead");
    await restoreDeadLetters([named(row)], OPERATOR);
    expect((await actionsOn(row?.key ?? "")).map(({ action }) => action).toSorted()).toEqual([
      "dismiss",
      "restore",
    ]);
    expect((await actionsOn(row?.key ?? ""))[0]).toMatchObject({ operator: "olga", reason: OPERATOR.reason });
  });

  test("means the burial that was seen and no later one", async () => {
    const [row] = await makeDead(1, partition, { channel: "sms" });
    await rows(
      database(),
      sql`update deliveries set burial_id = gen_random_uuid() where id = ${row?.id}::uuid`,
    );
    expect(await dismissDeadLetters([named(row)], OPERATOR)).toEqual({
      ok: true,
      value: { moved: 0, unchanged: 1 },
    });
  });
});

describe("resolving an unknown outcome", () => {
  const unknown = (options: Parameters<typeof makeUnknown>[1] = {}) =>
    makeUnknown(partition, { channel: "sms", ...options });

  test("it arrived: delivered, by an operator's word", async () => {
    const row = await unknown();
    expect(await resolveUnknown(named(row), { answer: "arrived" }, OPERATOR)).toEqual({
      ok: true,
      value: { state: "delivered", redriveId: null },
    });
    expect(await readDelivery(row.id)).toMatchObject({
      state: "delivered",
      unresolvedSince: null,
      reason: null,
    });
    expect(await actionsOn(row.key)).toMatchObject([{ action: "resolve-arrived" }]);
    // The other click finds it so.
    expect((await resolveUnknown(named(row), { answer: "arrived" }, OPERATOR)).ok).toBe(true);
  });

  test("it did not, and stays dead: with the reason that it would have had", async () => {
    const row = await unknown({ wish: "message_rejected" });
    await resolveUnknown(named(row), { answer: "not_arrived", next: "stay_dead" }, OPERATOR);
    expect(await readDelivery(row.id)).toMatchObject({
      state: "dead",
      reason: "message_rejected",
      unresolvedSince: null,
      wish: null,
    });
    const preview = await previewRedrive({ filter: { partition } }, "olga");
    expect(preview.ok && preview.value.wouldSend).toBe(1);
  });

  test("it did not, and goes again: a redrive of one, under the same key", async () => {
    const row = await unknown();
    const resolved = await resolveUnknown(
      named(row),
      { answer: "not_arrived", next: "send_again" },
      OPERATOR,
    );
    const redriveId = resolved.ok ? (resolved.value.redriveId ?? "") : "";
    await tick(redriveId);
    expect(await readDelivery(row.id)).toMatchObject({
      state: "ready",
      lane: "redrive",
      key: row.key,
      unresolvedSince: null,
      redriveId,
    });
  });

  test("it did not, but nobody wants it any more: nothing changes", async () => {
    const row = await unknown({ expiresAt: inMs(-1) });
    const resolved = await resolveUnknown(
      named(row),
      { answer: "not_arrived", next: "send_again" },
      OPERATOR,
    );
    expect(!resolved.ok && resolved.problem).toMatchObject({ code: "conflict" });
    expect(await readDelivery(row.id)).toMatchObject({ state: "dead", reason: "outcome_unknown" });
    expect(await actionsOn(row.key)).toEqual([]);
  });

  test("is refused for what is not in question, and for a later burial", async () => {
    const [row] = await makeDead(1, partition, { channel: "sms" });
    expect((await resolveUnknown(named(row), { answer: "arrived" }, OPERATOR)).ok).toBe(false);
    const other = await unknown();
    const stale = { deliveryId: other.id, burialId: row?.burialId ?? "" };
    expect((await resolveUnknown(stale, { answer: "arrived" }, OPERATOR)).ok).toBe(false);
    expect((await resolveUnknown(named(other), { answer: "arrived" }, { name: "olga", reason: "" })).ok).toBe(
      false,
    );
  });

  test("of two operators who disagree the first is right", async () => {
    const row = await unknown();
    const answers = await Promise.all([
      resolveUnknown(named(row), { answer: "arrived" }, OPERATOR),
      resolveUnknown(named(row), { answer: "not_arrived", next: "stay_dead" }, OPERATOR),
    ]);
    expect(await actionsOn(row.key)).toHaveLength(1);
    expect(answers.some((answer) => answer.ok)).toBe(true);
  });

  test("breaks no promise: what was answered is not hidden", async () => {
    const row = await unknown();
    await resolveUnknown(named(row), { answer: "not_arrived", next: "stay_dead" }, OPERATOR);
    const { checks } = await checkInvariants({ historyMs: Number.POSITIVE_INFINITY });
    for (const check of checks.filter(({ promise }) => promise === "P9"))
      expect(check.sample).not.toContain(row.key);
  });
});
