import { beforeEach, describe, expect, test } from "vitest";
import { call } from "./calls";
import { ADA, countRows, createReminder, openShop, putSubscriber } from "./shop";

let key: string;
let turn = 0;

/** A key of its own for each test: they share one database. */
let name: string;

beforeEach(async () => {
  key = await openShop();
  await putSubscriber(key, "ada");
  turn += 1;
  name = `turn-${turn}`;
});

const named = (idempotencyKey: string) => ({ "idempotency-key": idempotencyKey });

describe("an Idempotency-Key", () => {
  test("of twenty requests at once makes one reminder, and all get the same answer", async () => {
    const before = await countRows();
    const answers = await Promise.all(Array.from({ length: 20 }, () => createReminder(key, {}, named(name))));
    expect(new Set(answers.map((answer) => `${answer.status} ${answer.text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(201);
    const fresh = answers.filter((answer) => answer.headers.get("idempotent-replayed") === null);
    expect(fresh).toHaveLength(1);
    const location = `/api/v1/reminders/${answers[0]?.body.id}`;
    expect(answers.map((answer) => answer.headers.get("location"))).toEqual(Array(20).fill(location));
    expect(await countRows()).toEqual({
      ...before,
      reminders: (before.reminders ?? 0) + 1,
      occurrences: (before.occurrences ?? 0) + 1,
      outbox: (before.outbox ?? 0) + 1,
      idempotency_keys: (before.idempotency_keys ?? 0) + 1,
    });
  });

  test("with another body is refused, and nothing stored, whether the first is finished or not", async () => {
    const titles = Array.from({ length: 10 }, (_, index) => `Reminder ${index}`);
    const answers = await Promise.all(titles.map((title) => createReminder(key, { title }, named(name))));
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, ...Array(9).fill(422)]);
    const before = await countRows();
    const late = await createReminder(key, { title: "Late" }, named(name));
    expect(late.status).toBe(422);
    expect(late.body).toMatchObject({
      code: "idempotency_mismatch",
      detail: expect.stringContaining("new key"),
    });
    expect(await countRows()).toEqual(before);
  });

  test("of another caller is another key", async () => {
    const other = await openShop("other caller");
    const mine = await createReminder(key, {}, named(name));
    const theirs = await createReminder(other, { title: "Other" }, named(name));
    expect([mine.status, theirs.status]).toEqual([201, 201]);
    expect(theirs.body.id).not.toBe(mine.body.id);
    expect(theirs.headers.get("idempotent-replayed")).toBeNull();
  });

  test("stays free when the request was refused, by its form or by what is known", async () => {
    expect((await createReminder(key, { title: "" }, named(name))).status).toBe(422);
    expect((await createReminder(key, { subscriber: "nobody" }, named(name))).status).toBe(422);
    expect((await createReminder(key, { dueAt: "2020-01-01T00:00:00Z" }, named(name))).status).toBe(422);
    expect((await createReminder(key, { channels: ["push"] }, named(name))).status).toBe(422);
    const mended = await createReminder(key, {}, named(name));
    expect(mended.status).toBe(201);
    expect(mended.headers.get("idempotent-replayed")).toBeNull();
  });

  test("gives the first answer for ever, whatever became of the reminder", async () => {
    const first = await createReminder(key, {}, named(name));
    await call("DELETE", `/api/v1/reminders/${first.body.id}`, { key });
    const again = await createReminder(key, {}, named(name));
    expect(again).toMatchObject({ status: 201, text: first.text });
    expect(again.headers.get("idempotent-replayed")).toBe("true");
  });

  test.each([
    ["too long", "k".repeat(256)],
    ["five kilobytes", "k".repeat(5 * 1024)],
    ["blank", "  "],
  ])("that is %s is refused by name, and nothing stored", async (_what, idempotencyKey) => {
    const before = await countRows();
    const answer = await createReminder(key, {}, named(idempotencyKey));
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toMatchObject([{ field: "Idempotency-Key", accepted: "1 to 255 characters" }]);
    expect(answer.text.length).toBeLessThan(1000);
    expect(await countRows()).toEqual(before);
  });

  test("of the longest length and any visible character is taken", async () => {
    const longest = `${"k".repeat(250)}'";é`;
    expect((await createReminder(key, {}, named(longest))).status).toBe(201);
    expect((await createReminder(key, {}, named(longest))).headers.get("idempotent-replayed")).toBe("true");
  });

  test("of a snooze snoozes once, and is another key for another reminder", async () => {
    const first = (await createReminder(key)).body.id;
    const second = (await createReminder(key)).body.id;
    const snooze = (id: string, minutes: number) =>
      call("POST", `/api/v1/reminders/${id}/snooze`, { key, headers: named(name), body: { minutes } });
    const answers = await Promise.all(Array.from({ length: 5 }, () => snooze(first, 10)));
    expect(new Set(answers.map((answer) => `${answer.status} ${answer.text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
    const before = await countRows();
    expect((await snooze(first.toUpperCase(), 10)).headers.get("idempotent-replayed")).toBe("true");
    expect((await snooze(first, 20)).body.code).toBe("idempotency_mismatch");
    expect(await countRows()).toEqual(before);
    expect((await snooze(second, 10)).headers.get("idempotent-replayed")).toBeNull();
  });
});

test("without a key every POST is a reminder of its own", async () => {
  const [one, other] = [await createReminder(key), await createReminder(key)];
  expect(one.body.id).not.toBe(other.body.id);
});

test("ten equal PUTs at once make one subscriber with one row per address", async () => {
  const before = await countRows();
  const answers = await Promise.all(Array.from({ length: 10 }, () => putSubscriber(key, `new-${name}`, ADA)));
  expect(new Set(answers.map((answer) => `${answer.status} ${answer.text}`)).size).toBe(1);
  expect(answers[0]?.status).toBe(200);
  expect(await countRows()).toEqual({
    ...before,
    subscribers: (before.subscribers ?? 0) + 1,
    destinations: (before.destinations ?? 0) + 2,
  });
});
