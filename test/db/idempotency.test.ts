import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { database, rows, type Transaction } from "../../db/connection";
import { type IdempotencyClaim, once } from "../../db/idempotency";
import { scheduleReminder } from "../../db/reminders/schedule";
import { fail, ok } from "../../db/rules/errors";
import { emptyLedger, inMs, makeShopper } from "../support/factories";
import { interleave, randomFrom } from "../support/interleave";

beforeEach(emptyLedger);

const claimOf = (overrides: Partial<IdempotencyClaim> = {}): IdempotencyClaim => ({
  scope: "shop:POST /reminders",
  key: "key-1",
  bodyHash: "hash-1",
  ...overrides,
});

const countOf = async (table: string): Promise<number> =>
  (
    await rows<{ count: number }>(
      database(),
      sql`select count(*)::int as count from ${sql.identifier(table)}`,
    )
  )[0]?.count ?? 0;

/** Work with one visible effect: a row in `sweeps`. */
async function work(tx: Transaction): Promise<{ ok: true; value: { id: string } }> {
  const [row] = await rows<{ id: string }>(
    tx,
    sql`insert into sweeps (id, mover, started_at) values (gen_random_uuid(), 'command', ledger_now()) returning id`,
  );
  return ok({ id: row?.id ?? "" });
}

const WRONG = { code: "conflict", why: "it was not to be" } as const;

test("twenty requests with one key and body make one reminder, and all get its answer", async () => {
  const subscriber = await makeShopper({ channels: ["email"] });
  const request = () =>
    scheduleReminder(
      {
        owner: { kind: "shop" },
        subscriberId: subscriber.id,
        title: "Water the plants",
        note: null,
        url: null,
        dueAt: inMs(60_000).toISOString(),
        channels: ["email"],
        expiresAfterSeconds: 86_400,
      },
      claimOf(),
    );
  const answers = await Promise.all(Array.from({ length: 20 }, request));
  const views = answers.map((answer) => (answer.ok ? answer.value : null));
  for (const answer of views) expect(answer?.value).toEqual(views[0]?.value);
  expect(views.filter((answer) => answer?.replayed === false)).toHaveLength(1);
  expect([await countOf("reminders"), await countOf("occurrences"), await countOf("outbox")]).toEqual([
    1, 1, 1,
  ]);
});

test("the same key with another body is refused, and its work does not run", async () => {
  await once(claimOf(), work);
  expect(await once(claimOf({ bodyHash: "hash-2" }), work)).toMatchObject({
    ok: false,
    problem: { code: "idempotency_mismatch" },
  });
  expect(await countOf("sweeps")).toBe(1);
});

test("keys of two callers, or of two routes, are strangers", async () => {
  await once(claimOf(), work);
  await once(claimOf({ scope: "shop:POST /notices" }), work);
  await once(claimOf({ scope: "other-shop:POST /reminders" }), work);
  expect(await countOf("sweeps")).toBe(3);
});

describe("work that fails leaves no key behind", () => {
  test("refused: nothing of it is kept, and the corrected request under the same key goes", async () => {
    const refused = await once(claimOf(), async (tx) => {
      await work(tx);
      return fail(WRONG);
    });
    expect(refused).toEqual({ ok: false, problem: WRONG });
    expect([await countOf("sweeps"), await countOf("idempotency_keys")]).toEqual([0, 0]);
    expect(await once(claimOf({ bodyHash: "hash-2" }), work)).toMatchObject({
      ok: true,
      value: { replayed: false },
    });
  });

  test("broken: the error comes through, and nothing of it is kept", async () => {
    const broken = once(claimOf(), async (tx) => {
      await work(tx);
      throw new Error("out of luck");
    });
    await expect(broken).rejects.toThrow("out of luck");
    expect([await countOf("sweeps"), await countOf("idempotency_keys")]).toEqual([0, 0]);
  });

  test("while others wait for it: one of them does the work", async () => {
    let first = true;
    const flaky = async (tx: Transaction) => {
      const fails = first;
      first = false;
      const done = await work(tx);
      return fails ? fail(WRONG) : done;
    };
    const answers = await Promise.all(Array.from({ length: 10 }, () => once(claimOf(), flaky)));
    expect(answers.filter((answer) => !answer.ok)).toHaveLength(1);
    expect(answers.filter((answer) => answer.ok && !answer.value.replayed)).toHaveLength(1);
    expect([await countOf("sweeps"), await countOf("idempotency_keys")]).toEqual([1, 1]);
  });
});

test("a stored answer comes back as it was given", async () => {
  const value = { text: "„Grüße“ \u{1f331}", list: [1, null, { deep: true }], none: null };
  const given = await once(claimOf(), async () => ok(value));
  const again = await once(claimOf(), async () => ok({ ...value, text: "never" }));
  expect(given).toEqual({ ok: true, value: { value, replayed: false } });
  expect(again).toEqual({ ok: true, value: { value, replayed: true } });
});

test("without a key every request does its work", async () => {
  await once(null, work);
  await once(null, work);
  expect([await countOf("sweeps"), await countOf("idempotency_keys")]).toEqual([2, 0]);
});

test("mixed keys and bodies at once: each key has one effect and one body", async () => {
  const { stop } = interleave(randomFrom(5));
  try {
    const requests = Array.from({ length: 40 }, (_, index) =>
      once(claimOf({ key: `key-${index % 4}`, bodyHash: `hash-${index % 3}` }), work),
    );
    const answers = await Promise.all(requests);
    expect(answers.filter((answer) => answer.ok && !answer.value.replayed)).toHaveLength(4);
    const refused = answers.filter((answer) => !answer.ok);
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) expect(answer).toMatchObject({ problem: { code: "idempotency_mismatch" } });
  } finally {
    stop();
  }
  expect([await countOf("sweeps"), await countOf("idempotency_keys")]).toEqual([4, 4]);
});
