import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { setOwner } from "../../../db/admission/controls";
import { observeCalm, readCertainty } from "../../../db/cleanup/certainty";
import { cleanLedger } from "../../../db/cleanup/clean";
import { beginCleanup, endCleanup, removeFinished } from "../../../db/cleanup/remove";
import { approveRetention, setRetention, switchCleanup } from "../../../db/cleanup/retention";
import { readCleanupRuns } from "../../../db/cleanup/runs";
import { database, rows } from "../../../db/connection";
import { checkInvariants } from "../../../db/console/invariants";
import { openDeliveries } from "../../../db/ledger/open";
import { testClock } from "../../support/database";
import { emptyLedger, inMs, makeDelivery, makePartition } from "../../support/factories";
import { interleave, randomFrom } from "../../support/interleave";
import { deliveriesOf, renderPayloads } from "../../support/ledger";

beforeEach(emptyLedger);

const DAY_MS = 86_400_000;
const ADA = { name: "ada", reason: "tested" };
const BOB = { name: "bob", reason: "tested" };

async function approveAll(): Promise<void> {
  for (const state of ["delivered", "dead", "expired"]) {
    expect((await approveRetention(state, "slo", ADA)).ok).toBe(true);
    expect((await approveRetention(state, "records", BOB)).ok).toBe(true);
  }
}

async function left(): Promise<string[]> {
  const found = await rows<{ id: string }>(database(), sql`select id from deliveries order by id`);
  return found.map((row) => row.id);
}

const old = (days: number) => ({ finishedAt: inMs(-days * DAY_MS), createdAt: inMs(-days * DAY_MS) });

test("what is finished and past its retention goes, counted before; everything else stays (P8)", async () => {
  await approveAll();
  const partition = await makePartition();
  const gone = [
    await makeDelivery({ partition, state: "delivered", ...old(31) }),
    await makeDelivery({ partition, state: "expired", ...old(31) }),
    await makeDelivery({ partition, state: "dead", ...old(91) }),
  ];
  const kept = [
    await makeDelivery({ partition, state: "delivered", ...old(29) }),
    await makeDelivery({ partition, state: "dead", ...old(89) }),
    ...(await Promise.all(
      (["scheduled", "ready", "sending", "deferred"] as const).map((state) =>
        makeDelivery({ partition, state, createdAt: inMs(-400 * DAY_MS) }),
      ),
    )),
  ];
  expect(await cleanLedger()).toMatchObject({ removed: 3, why: null });
  expect(await left()).toEqual(kept.map((row) => row.id).sort());
  const [run] = await readCleanupRuns(1);
  expect(run).toMatchObject({ outcome: "removed", removed: 3, mover: "command" });
  expect(run?.counted.map(({ state, reason, count }) => ({ state, reason, count }))).toEqual([
    { state: "dead", reason: "attempts_exhausted", count: 1 },
    { state: "delivered", reason: null, count: 1 },
    { state: "expired", reason: "past_deadline", count: 1 },
  ]);
  const payloads = await rows<{ id: string }>(database(), sql`select id from payloads`);
  expect(payloads.map((row) => row.id)).not.toContain(gone[0]?.payloadId);
  expect(payloads).toHaveLength(kept.length);
});

test("an occurrence whose deliveries have been removed does not open again", async () => {
  await approveAll();
  const delivery = await makeDelivery({ state: "delivered", ...old(40) });
  const occurrenceId = delivery.occurrenceId ?? "";
  await cleanLedger();
  expect(await deliveriesOf(occurrenceId)).toEqual([]);
  await renderPayloads({ id: occurrenceId, version: 1 });
  expect(await openDeliveries([occurrenceId])).toMatchObject({ opened: 0, deliveries: 0 });
  expect(await deliveriesOf(occurrenceId)).toEqual([]);
  const { checks } = await checkInvariants();
  expect(checks.filter((check) => check.promise === "P8").every((check) => check.violations === 0)).toBe(
    true,
  );
});

test("a state without both approvals is not touched, and one person gives one approval", async () => {
  await makeDelivery({ state: "delivered", ...old(400) });
  await approveRetention("delivered", "slo", ADA);
  expect(await approveRetention("delivered", "records", ADA)).toMatchObject({
    ok: false,
    problem: { code: "conflict" },
  });
  expect((await cleanLedger()).removed).toBe(0);
  await approveRetention("delivered", "records", BOB);
  await setRetention("delivered", 60, ADA);
  expect((await cleanLedger()).removed).toBe(0);
  await approveRetention("delivered", "slo", ADA);
  await approveRetention("delivered", "records", BOB);
  expect((await cleanLedger()).removed).toBe(1);
});

test("a retention under the redrive horizon is refused, and a shorter one under backlog", async () => {
  expect(await setRetention("dead", 13, ADA)).toMatchObject({
    ok: false,
    problem: { code: "invalid_input" },
  });
  await expect(
    rows(database(), sql`update retention set keep_days = 13 where state = 'dead'`),
  ).rejects.toThrow();
  await makeDelivery({ state: "ready", scheduledAt: inMs(-600_000) });
  expect(await setRetention("dead", 20, ADA)).toMatchObject({ ok: false, problem: { code: "conflict" } });
  expect(await setRetention("dead", 100, ADA)).toMatchObject({ ok: true });
});

test("members of an unfinished redrive stay until it ends", async () => {
  await approveAll();
  const dead = await makeDelivery({ state: "dead", ...old(200) });
  const redriveId = randomUUID();
  await rows(
    database(),
    sql`insert into redrives (id, origin, state, filter, includes_ambiguous, members, would_send, preview, previewed_by,
        operator, reason, created_at, started_at, resumed_at)
      values (${redriveId}::uuid, 'operator', 'running', '{}', false, 1, 1, '{}', 'ada', 'ada', 'why', ledger_now(), ledger_now(), ledger_now())`,
  );
  await rows(
    database(),
    sql`insert into redrive_members (redrive_id, delivery_id, burial_id, partition, position, reason, verdict, state, active)
      values (${redriveId}::uuid, ${dead.id}::uuid, ${dead.burialId}::uuid, ${dead.partition}, 1, 'attempts_exhausted', 'would_send', 'pending', true)`,
  );
  expect((await cleanLedger()).removed).toBe(0);
  await rows(
    database(),
    sql`update redrives set state = 'finished', ended_at = ledger_now() where id = ${redriveId}::uuid`,
  );
  expect((await cleanLedger()).removed).toBe(1);
});

test("the switch stops a pass between two batches", async () => {
  await approveAll();
  for (let made = 0; made < 4; made += 1) await makeDelivery({ state: "delivered", ...old(40) });
  const pass = await beginCleanup("cron");
  expect(pass?.permission.allowed).toBe(true);
  expect(await removeFinished(pass?.runId ?? "", 2)).toMatchObject({ removed: 2, more: true });
  await switchCleanup(false, BOB);
  expect(await removeFinished(pass?.runId ?? "", 2)).toMatchObject({ removed: 0, more: false });
  await endCleanup(pass?.runId ?? "", "switched off");
  await testClock.advance(1);
  expect(await cleanLedger()).toMatchObject({ removed: 0, why: "switched off by bob: tested" });
  expect(await readCleanupRuns(1)).toMatchObject([{ outcome: "refused" }]);
  await switchCleanup(true, BOB);
  expect((await cleanLedger()).removed).toBe(2);
});

test("a hand-over closes cleanup until the queue has been under its SLO for ten minutes without a break", async () => {
  await approveAll();
  const partition = await makePartition();
  await makeDelivery({ partition, state: "delivered", ...old(40) });
  await setOwner(partition, 2, ADA);
  const late = await makeDelivery({ partition, state: "ready", owner: 2, scheduledAt: inMs(-60_000) });
  const look = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute += 1) {
      await testClock.advance(60_000);
      await observeCalm();
    }
  };
  await look(12);
  expect((await cleanLedger()).removed).toBe(0);
  await rows(
    database(),
    sql`update deliveries set state = 'expired', reason = 'cancelled', finished_at = ledger_now(),
    pass = null where id = ${late.id}::uuid`,
  );
  await look(10);
  expect((await cleanLedger()).removed).toBe(0);
  expect(await readCertainty(database())).toMatchObject({ certain: false });
  // Nobody looked for five minutes: the ten begin anew.
  await testClock.advance(300_000);
  await look(10);
  expect((await cleanLedger()).removed).toBe(0);
  await look(1);
  expect(await readCertainty(database())).toMatchObject({ certain: true });
  expect((await cleanLedger()).removed).toBe(1);
});

test("overlapping and caught-up ticks remove everything once and harm nothing", async () => {
  await approveAll();
  const partition = await makePartition();
  for (let made = 0; made < 12; made += 1) await makeDelivery({ partition, state: "delivered", ...old(40) });
  const live = await makeDelivery({ partition, state: "ready" });
  const meeting = interleave(randomFrom(7));
  const outcomes = await Promise.all(Array.from({ length: 6 }, () => cleanLedger()));
  // Two passes that both hold a run would still meet row by row.
  const [first] = await readCleanupRuns(1);
  await Promise.all(Array.from({ length: 4 }, () => removeFinished(first?.id ?? "", 5)));
  meeting.stop();
  expect(outcomes.reduce((sum, outcome) => sum + outcome.removed, 0)).toBe(12);
  expect(await left()).toEqual([live.id]);
  expect(meeting.refused).toEqual([]);
});

test("a pass that died is taken over when its hold has run out", async () => {
  await approveAll();
  await makeDelivery({ state: "delivered", ...old(40) });
  expect(await beginCleanup("cron")).not.toBeNull();
  expect(await beginCleanup("cron")).toBeNull();
  await testClock.advance(121_000);
  expect((await cleanLedger()).removed).toBe(1);
});
