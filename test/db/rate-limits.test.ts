import { sql } from "drizzle-orm";
import fc from "fast-check";
import { expect, test } from "vitest";
import { rows, transact } from "../../db/connection";
import { takeFrequentTurn, takeTurn } from "../../db/rate-limits";
import { RATE_LIMITS, takeTurns, visitorOf } from "../../db/rules/rate-limit";
import { testClock } from "./../support/database";

test("in any stretch of time no more turns are taken than the burst and one per interval", () => {
  const limit = { burst: 5, everyMs: 1000 };
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 3000 }), { maxLength: 60 }), (gaps) => {
      let [nowMs, takenUntilMs] = [0, null as number | null];
      const taken: number[] = [];
      for (const gap of gaps) {
        nowMs += gap;
        const turn = takeTurns(limit, { takenUntilMs, nowMs, turns: 1 });
        if (!turn.allowed) {
          const later = nowMs + turn.retryAfterSeconds * 1000;
          expect(takeTurns(limit, { takenUntilMs, nowMs: later, turns: 1 }).allowed).toBe(true);
          continue;
        }
        takenUntilMs = turn.takenUntilMs;
        taken.push(nowMs);
      }
      for (const from of taken) {
        const within = taken.filter((at) => at >= from && at < from + 10_000).length;
        expect(within).toBeLessThanOrEqual(5 + 10);
      }
    }),
  );
});

test("at once, by whatever processes, exactly the burst is taken, and refused ones take nothing", async () => {
  const asked = { limit: "phoneNumber" as const, subject: "+12025550123", why: "Too many." };
  const all = await Promise.all(Array.from({ length: 10 }, () => takeTurn([asked])));
  expect(all.filter(({ ok }) => ok)).toHaveLength(RATE_LIMITS.phoneNumber.burst);
  expect(await takeTurn([asked])).toEqual({
    ok: false,
    problem: { code: "rate_limited", retryAfterSeconds: 1200, why: "Too many." },
  });
  await testClock.advance(RATE_LIMITS.phoneNumber.everyMs);
  expect((await takeTurn([asked])).ok).toBe(true);
  expect((await takeTurn([asked])).ok).toBe(false);
  const stored = await transact((tx) => rows<{ key: string }>(tx, sql`select key from rate_limits`));
  expect(JSON.stringify(stored)).not.toContain("2025550123");
});

test("of several limits the one that refuses leaves the others as they were", async () => {
  const why = "no";
  const country = { limit: "phoneCountry" as const, subject: "1", why };
  const number = { limit: "phoneNumber" as const, subject: "+12025550199", why };
  for (let count = 0; count < 20; count += 1) await takeTurn([country, number]);
  let left = 0;
  while ((await takeTurn([country])).ok) left += 1;
  expect(left).toBe(RATE_LIMITS.phoneCountry.burst - RATE_LIMITS.phoneNumber.burst);
});

test("a frequent limit is handed out by the dozen and refuses at its burst", async () => {
  const asked = { limit: "apiKey" as const, subject: "key-1", why: "Too often." };
  let taken = 0;
  while (taken < 2000 && (await takeFrequentTurn(asked)).ok) taken += 1;
  expect(taken).toBeLessThanOrEqual(RATE_LIMITS.apiKey.burst);
  expect(taken).toBeGreaterThan(RATE_LIMITS.apiKey.burst * 0.9);
  expect(await takeFrequentTurn(asked)).toMatchObject({
    problem: { code: "rate_limited", retryAfterSeconds: 1 },
  });
});

test.each([
  ["203.0.113.7", 1, "203.0.113.7"],
  ["6.6.6.6, 203.0.113.7", 1, "203.0.113.7"],
  ["6.6.6.6, 203.0.113.7, 10.0.0.1", 2, "203.0.113.7"],
  ["::ffff:203.0.113.7", 1, "203.0.113.7"],
  ["2001:db8:1:2:aaaa:bbbb:cccc:dddd", 1, "2001:db8:1:2"],
  ["2001:db8::1", 1, "2001:db8:0:0"],
  ["203.0.113.7:50123", 1, "203.0.113.7"],
  ["6.6.6.6, [2001:db8:1:2:aaaa:bbbb:cccc:dddd]:443", 1, "2001:db8:1:2"],
  ["[2001:db8:1:2::7]", 1, "2001:db8:1:2"],
  ["[::ffff:203.0.113.7]:443", 1, "203.0.113.7"],
  [null, 1, ""],
])("of %s through %d proxies the visitor is %s: what comes before is a claim", (header, hops, visitor) => {
  expect(visitorOf(header, hops)).toBe(visitor);
});
