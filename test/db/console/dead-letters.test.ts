import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { rows, transact } from "../../../db/connection";
import { groupDeadLetters, listDeadLetters, readDeadLetter } from "../../../db/console/dead-letters";
import { testClock } from "../../support/database";
import { inMs, makeDelivery, makePartition } from "../../support/factories";

const HOUR_MS = 3_600_000;

beforeEach(async () => {
  await transact((tx) => rows(tx, sql`truncate deliveries cascade`));
  await testClock.set(Date.UTC(2031, 4, 5, 9, 30));
});

const dead = (partition: string, overrides: Parameters<typeof makeDelivery>[0] = {}) =>
  makeDelivery({ state: "dead", partition, lastClass: "transient", ...overrides });

test("dead letters are grouped by partition, reason and hour, with what the provider said", async () => {
  const partition = await makePartition({ channel: "email" });
  const other = await makePartition({ channel: "email" });
  for (let count = 0; count < 3; count += 1) await dead(partition);
  await dead(partition, { finishedAt: inMs(-2 * HOUR_MS), dismissedAt: inMs(0) });
  await dead(partition, { reason: "outcome_unknown", unresolvedSince: inMs(-500), expiresAt: inMs(-1) });
  await dead(other, { reason: "message_rejected", lastClass: "message_rejected" });
  const { groups, total, bucketMs } = await groupDeadLetters({});
  expect({ total, bucketMs }).toEqual({ total: 6, bucketMs: HOUR_MS });
  const brief = groups.map(({ partition: key, reason, count, dismissed, unknown, expired }) => ({
    key,
    reason,
    count,
    dismissed,
    unknown,
    expired,
  }));
  expect(brief).toContainEqual({
    key: partition,
    reason: "attempts_exhausted",
    count: 3,
    dismissed: 0,
    unknown: 0,
    expired: 0,
  });
  expect(brief).toContainEqual({
    key: partition,
    reason: "attempts_exhausted",
    count: 1,
    dismissed: 1,
    unknown: 0,
    expired: 0,
  });
  expect(brief).toContainEqual({
    key: partition,
    reason: "outcome_unknown",
    count: 1,
    dismissed: 0,
    unknown: 1,
    expired: 1,
  });
  expect(brief).toContainEqual({
    key: other,
    reason: "message_rejected",
    count: 1,
    dismissed: 0,
    unknown: 0,
    expired: 0,
  });
  expect(groups[0]?.answers[0]).toMatchObject({ class: "transient", count: 3 });
  const { fromMs = 0, untilMs = 0 } = groups[0] ?? {};
  const inGroup = await listDeadLetters(
    { partition, reason: "attempts_exhausted", diedAfterMs: fromMs, diedBeforeMs: untilMs },
    { limit: 10 },
  );
  expect(inGroup.ok && inGroup.value.deadLetters).toHaveLength(3);
});

test("paging through dead letters shows each once, although several died in one instant", async () => {
  const partition = await makePartition({ channel: "email" });
  const finishedAt = inMs(-1000);
  const made = [];
  for (let count = 0; count < 7; count += 1) made.push(await dead(partition, { finishedAt }));
  const seen: string[] = [];
  let after: string | undefined;
  do {
    const page = await listDeadLetters(
      { partition },
      { limit: 3, ...(after === undefined ? {} : { after }) },
    );
    if (!page.ok) throw new Error("no page");
    seen.push(...page.value.deadLetters.map((row) => row.id));
    after = page.value.next ?? undefined;
  } while (after !== undefined);
  expect(seen.toSorted()).toEqual(made.map((row) => row.id).toSorted());
  expect((await listDeadLetters({}, { limit: 3, after: "no place" })).ok).toBe(false);
});

test("one dead letter shows every call, its payload by reference and an address nobody could write to", async () => {
  const row = await dead(await makePartition({ channel: "sms" }), { channel: "sms", burialId: randomUUID() });
  const read = await readDeadLetter(row.reference);
  if (!read.ok) throw new Error("not found");
  expect(read.value).toMatchObject({
    key: row.key,
    attempts: 1,
    request: { payloadId: row.payloadId, wiped: false },
  });
  expect(read.value.history).toHaveLength(1);
  expect(read.value.destination.masked).toMatch(/^…\d{3}$/);
  expect(JSON.stringify(read.value)).not.toContain("Water the plants");
  expect(JSON.stringify(read.value)).not.toContain("+1202");
  expect((await readDeadLetter("nothing")).ok).toBe(false);
});
