import * as fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { call } from "./calls";
import { createReminder, openShop, putSubscriber, query } from "./shop";

let key: string;
let turn = 0;

beforeAll(async () => {
  key = await openShop();
});

interface Page {
  ids: string[];
  nextCursor: string | null;
}

async function page(parameters: Record<string, string>): Promise<Page> {
  const answer = await call("GET", `/api/v1/reminders?${new URLSearchParams(parameters)}`, { key });
  expect(answer.status, answer.text).toBe(200);
  return {
    ids: answer.body.reminders.map((reminder: { id: string }) => reminder.id),
    nextCursor: answer.body.nextCursor,
  };
}

/** Few due times, so that many reminders share one. */
const DUE = ["2026-12-24T08:00:00Z", "2026-12-24T09:00:00.001+01:00", "2026-12-25T08:00:00Z"];

test("no reminder is skipped or told twice, whatever is added or cancelled between pages", async () => {
  const dueIndex = fc.nat({ max: DUE.length - 1 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(dueIndex, { minLength: 1, maxLength: 9 }),
      fc.array(fc.record({ add: fc.array(dueIndex, { maxLength: 3 }), cancel: fc.boolean() }), {
        maxLength: 12,
      }),
      fc.integer({ min: 1, max: 4 }),
      async (present, between, limit) => {
        turn += 1;
        const subscriber = `paging-${turn}`;
        await putSubscriber(key, subscriber);
        const create = async (index: number) =>
          (await createReminder(key, { subscriber, dueAt: DUE[index] })).body.id as string;
        const atFirst: string[] = [];
        for (const index of present) atFirst.push(await create(index));

        const told: string[] = [];
        let cursor: string | null = null;
        for (let round = 0; ; round += 1) {
          const found: Page = await page({ subscriber, limit: String(limit), ...(cursor ? { cursor } : {}) });
          told.push(...found.ids);
          cursor = found.nextCursor;
          if (cursor === null) break;
          expect(found.ids).toHaveLength(limit);
          for (const index of between[round]?.add ?? []) await create(index);
          if (between[round]?.cancel) await call("DELETE", `/api/v1/reminders/${found.ids[0]}`, { key });
        }
        expect(new Set(told).size).toBe(told.length);
        expect(told).toEqual(expect.arrayContaining(atFirst));
        const ordered = await query<{ id: string }>(
          `select id from reminders where id in ('${told.join("','")}') order by due_at, id`,
        );
        expect(told).toEqual(ordered.map((row) => row.id));
      },
    ),
    { numRuns: 25 },
  );
}, 60_000);

test("a list is narrowed by subscriber and status, and of a stranger it is empty", async () => {
  await putSubscriber(key, "narrow");
  const active = (await createReminder(key, { subscriber: "narrow" })).body;
  const cancelled = (await createReminder(key, { subscriber: "narrow" })).body.id;
  await call("DELETE", `/api/v1/reminders/${cancelled}`, { key });
  const subscriber = "narrow";
  expect((await page({ subscriber })).ids.sort()).toEqual([active.id, cancelled].sort());
  expect((await page({ subscriber, status: "active" })).ids).toEqual([active.id]);
  expect((await page({ subscriber, status: "cancelled" })).ids).toEqual([cancelled]);
  expect(await page({ subscriber: "stranger" })).toEqual({ ids: [], nextCursor: null });
  const [first] = (await call("GET", "/api/v1/reminders?subscriber=narrow&status=active", { key })).body
    .reminders;
  expect(first).toEqual(active);
});

test("the cursor of a page whose last reminder moved or is gone still works", async () => {
  await putSubscriber(key, "moving");
  const create = async (dueAt: string) =>
    (await createReminder(key, { subscriber: "moving", dueAt })).body.id;
  const ids = [await create("2026-12-24T08:00:00Z"), await create("2026-12-25T08:00:00Z")];
  const { nextCursor } = await page({ subscriber: "moving", limit: "1" });
  await call("PATCH", `/api/v1/reminders/${ids[0]}`, { key, body: { dueAt: "2026-12-20T08:00:00Z" } });
  expect((await page({ subscriber: "moving", limit: "1", cursor: nextCursor ?? "" })).ids).toEqual([ids[1]]);
});
