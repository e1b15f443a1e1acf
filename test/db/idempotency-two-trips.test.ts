import { sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { CLOCK, database, type Queries, rows } from "../../db/connection";
import { type IdempotencyClaim, onceInTwoTrips } from "../../db/idempotency";
import { listReminders } from "../../db/reminders/read";
import { scheduleReminder } from "../../db/reminders/schedule";
import { fail, ok, type Result } from "../../db/rules/errors";
import { emptyLedger, inMs, makeShopper } from "../support/factories";

beforeEach(emptyLedger);

const CLAIM: IdempotencyClaim = { scope: "shop:POST /reminders", key: "key-1", bodyHash: "hash-1" };
const READS: Queries<[{ nowMs: number }]> = [CLOCK];

const countOf = async (table: "sweeps" | "idempotency_keys"): Promise<number> =>
  (
    await rows<{ count: number }>(
      database(),
      sql`select count(*)::int as count from ${sql.identifier(table)}`,
    )
  )[0]?.count ?? 0;

/** Work with one visible effect, a row in `sweeps`. */
const sweep = sql`insert into sweeps (id, mover, started_at) values (gen_random_uuid(), 'command', ledger_now())`;

const work = (claim: IdempotencyClaim | null, answer: unknown = "done") =>
  onceInTwoTrips<[{ nowMs: number }], unknown>(claim, READS, () => ok({ writes: [sweep], value: answer }));

test("of thirty requests with one key one does its work, and all get its answer", async () => {
  const answers = await Promise.all(Array.from({ length: 30 }, (_, number) => work(CLAIM, number)));
  const first = answers.find((answer) => answer.ok && !answer.value.replayed);
  if (first?.ok !== true) throw new Error("nobody did the work");
  expect(answers.filter((answer) => answer.ok && !answer.value.replayed)).toHaveLength(1);
  for (const answer of answers) expect(answer).toMatchObject({ value: { value: first.value.value } });
  expect([await countOf("sweeps"), await countOf("idempotency_keys")]).toEqual([1, 1]);
});

test("the same key with another body is refused, and its work is not done", async () => {
  await work(CLAIM);
  expect(await work({ ...CLAIM, bodyHash: "hash-2" })).toMatchObject({
    ok: false,
    problem: { code: "idempotency_mismatch" },
  });
  expect(await work({ ...CLAIM, scope: "shop:POST /notices" })).toMatchObject({ value: { replayed: false } });
  expect(await countOf("sweeps")).toBe(2);
});

test("what is refused leaves neither work nor key", async () => {
  const wrong = { code: "conflict", why: "it was not to be" } as const;
  const refuse = (): Result<never> => fail(wrong);
  expect(await onceInTwoTrips(CLAIM, READS, refuse)).toEqual({ ok: false, problem: wrong });
  expect([await countOf("sweeps"), await countOf("idempotency_keys")]).toEqual([0, 0]);
  expect(await work(CLAIM)).toMatchObject({ ok: true, value: { replayed: false } });
});

test("a write that breaks takes everything with it, and says nothing of what was written", async () => {
  const broken = sql`insert into sweeps (id, mover, started_at) values (gen_random_uuid(), ${"ada@shopper.example"}, ledger_now())`;
  const attempt = onceInTwoTrips<[{ nowMs: number }], string>(CLAIM, READS, () =>
    ok({ writes: [sweep, broken, sweep], value: "never" }),
  );
  const error: Error = await attempt.then(
    () => new Error("it was taken"),
    (thrown: Error) => thrown,
  );
  expect(error.message).toContain("sweeps");
  expect(JSON.stringify({ ...error, stack: error.stack, message: error.message })).not.toContain("ada@");
  expect([await countOf("sweeps"), await countOf("idempotency_keys")]).toEqual([0, 0]);
});

test("without a key every request does its work", async () => {
  await work(null);
  await work(null);
  expect([await countOf("sweeps"), await countOf("idempotency_keys")]).toEqual([2, 0]);
});

test("what is answered to the creation of a reminder is what reading it gives", async () => {
  const subscriber = await makeShopper({ channels: ["email"] });
  const input = {
    owner: { kind: "shop" },
    subscriberId: subscriber.id,
    title: "Water the plants",
    note: "„Grüße“",
    url: "https://shop.example/plants",
    channels: ["email"],
    expiresAfterSeconds: 86_400,
    nextChannelAfterMinutes: 5,
    throughQuietHours: true,
  } as const;
  const dueAt = inMs(3_600_123).toISOString();
  const once = await scheduleReminder({ ...input, dueAt });
  const series = await scheduleReminder({ ...input, dueAt, repeat: "FREQ=WEEKLY", floating: true });
  const listed = await listReminders({ kind: "shop" }, { externalId: undefined, limit: 10 } as never);
  const created = [once, series].map((answer) => (answer.ok ? answer.value.value : null));
  expect(listed).toMatchObject({ ok: true });
  const read = listed.ok ? listed.value.reminders : [];
  for (const one of created) expect(read).toContainEqual(one);
});
