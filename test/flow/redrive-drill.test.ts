import { sql } from "drizzle-orm";
import postgres from "postgres";
import { afterEach, beforeEach, expect, test } from "vitest";
import { setLimits } from "../../db/admission/controls";
import { database, rows } from "../../db/connection";
import { groupDeadLetters } from "../../db/console/dead-letters";
import { checkInvariants } from "../../db/console/invariants";
import { resumeRedrive } from "../../db/redrive/controls";
import { previewRedrive } from "../../db/redrive/preview";
import { readRedrive } from "../../db/redrive/read";
import { startRedrive } from "../../db/redrive/start";
import { ringDoorbell } from "../../inngest/publish";
import { mostInOneSecond } from "../db/rules/meters";
import { databaseUrl } from "../support/database";
import { type Fill, fillDeliveries } from "../support/ledger-fill";
import { World } from "../support/world";

const OPERATOR = { name: "olga", reason: "the provider accepts again" };
const MINUTE_MS = 60_000;
const SMS = { channels: ["sms"] as ["sms"] };

/** What a real incident leaves, and what is added to it alike. */
const REFUSED_LIVE = 10;
const REFUSED = 450;
const EXPIRED = 20;
const UNKNOWN = 30;

/** A rate worth a drill. */
const CEILING = 50;
const BURST = 8;

/** One every ten seconds while the redrive goes, pauses and goes on. */
const FRESH = 24;

let world: World;

beforeEach(async () => {
  world = await World.start(Date.UTC(2031, 4, 5, 9, 0, 0));
});

afterEach(() => {
  world.close();
});

interface Sms {
  partition: string;
  content: postgres.JSONValue;
}

/** One message that arrives: the partition, a payload that the provider takes, and a rate worth a drill. */
async function openSms(subscriberId: string): Promise<Sms> {
  await world.remind(subscriberId, { inMs: 5_000, ...SMS });
  await world.advance(10_000);
  const [sms] = await rows<Sms>(
    database(),
    sql`select d.partition, p.content from deliveries d join payloads p on p.id = d.payload_id`,
  );
  if (sms === undefined) throw new Error("nothing was sent");
  const set = await setLimits(sms.partition, { ceiling: CEILING, burst: BURST }, OPERATOR);
  if (!set.ok) throw new Error("no partition");
  return sms;
}

/**
 * The provider throttles, then rejects what was on its way. Ten die through real calls; the others are written beside them,
 * to ten people more, as the same incident would have left them.
 */
async function incident(subscriberId: string, { partition, content }: Sms): Promise<void> {
  const { providers } = world;
  providers.control("twilio", { fault: "throttle", faultCount: 4 });
  await world.remindMany(subscriberId, REFUSED_LIVE, { inMs: 5_000, ...SMS });
  await world.advance(8_000);
  providers.control("twilio", { fault: "error:21602" });
  await world.advance(2 * MINUTE_MS);
  providers.control("twilio", { fault: null });
  const client = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  try {
    const died = (count: number, more: Partial<Fill> = {}) =>
      fillDeliveries(client, {
        count,
        channel: "sms",
        partition,
        state: "dead",
        reason: "message_rejected",
        lastClass: "message_rejected",
        status: 400,
        code: "21602",
        spreadMs: MINUTE_MS,
        content,
        ...more,
      });
    for (let person = 0; person < 10; person += 1) await died((REFUSED - REFUSED_LIVE) / 10);
    await died(EXPIRED, { usefulMs: -1_000 });
    await died(UNKNOWN, { reason: "outcome_unknown", lastClass: "ambiguous", unresolved: true });
  } finally {
    await client.end();
  }
}

async function detail(id: string) {
  const read = await readRedrive(id);
  if (!read.ok) throw new Error("no redrive");
  return read.value;
}

const references = (where: ReturnType<typeof sql>) =>
  rows<{ reference: string }>(database(), sql`select reference from deliveries d where ${where}`).then(
    (found) => found.map((row) => row.reference),
  );

/** The redrive is no second budget of calls, and its throttling spent no budget of failures. */
async function expectOneBudget(): Promise<void> {
  const times = world.providers.ledger.calls("twilio").map((call) => call.at);
  expect(mostInOneSecond(times)).toBeLessThanOrEqual(CEILING + BURST);
  expect(await references(sql`d.state = 'delivered' and d.failure_count > 0`)).toEqual([]);
}

test("the drill: 500 dead letters, 450 redriven once each through another throttling, fresh reminders on time", async () => {
  world.providers.control("twilio", { ratePerSecond: 100, burst: 50 });
  const victim = await world.subscriber("victim", { channels: ["sms"] });
  const fresh = await world.subscriber("fresh", { channels: ["sms"] });
  await incident(victim.id, await openSms(victim.id));

  const { groups, total } = await groupDeadLetters({ channel: "sms" });
  expect(total).toBe(REFUSED + EXPIRED + UNKNOWN);
  const causes = groups.flatMap(({ reason, answers }) => answers.map(({ code }) => `${reason} ${code}`));
  expect(causes).toContain("message_rejected 21602");
  const dead = await references(
    sql`d.state = 'dead' and d.unresolved_since is null and d.expires_at > ledger_now()`,
  );
  const unknown = await references(sql`d.state = 'dead' and d.unresolved_since is not null`);

  const previewed = await previewRedrive({ filter: { channel: "sms" }, ratePerSecond: 8 }, OPERATOR.name);
  if (!previewed.ok) throw new Error(JSON.stringify(previewed.problem));
  const { id, wouldSend, preview } = previewed.value;
  const counts = Object.fromEntries(preview.verdicts.map(({ verdict, count }) => [verdict, count]));
  expect(counts).toEqual({ would_send: REFUSED, ambiguous: UNKNOWN, expired: EXPIRED });

  for (let number = 1; number <= FRESH; number += 1)
    await world.remind(fresh.id, { inMs: number * 10_000 + number * 7, ...SMS });
  const callsBefore = world.accepted("twilio").length;
  expect((await startRedrive({ id, confirm: wouldSend, operator: OPERATOR })).ok).toBe(true);
  await ringDoorbell();
  await world.advance(90_000);
  expect(await detail(id)).toMatchObject({ state: "running" });

  world.providers.control("twilio", { fault: "throttle" });
  for (let look = 0; look < 12 && (await detail(id)).state === "running"; look += 1)
    await world.advance(5_000);
  world.providers.control("twilio", { fault: null });
  expect(await detail(id)).toMatchObject({ state: "paused", pauseKind: "throttled" });
  await world.advance(10_000);
  const { progress } = await detail(id);
  expect(progress.pending).toBeGreaterThan(0);
  await world.advance(MINUTE_MS);
  expect((await detail(id)).progress.pending).toBe(progress.pending);

  expect((await resumeRedrive(id, OPERATOR)).ok).toBe(true);
  await ringDoorbell();
  for (let look = 0; look < 24 && (await detail(id)).state === "running"; look += 1)
    await world.advance(10_000);
  const end = await detail(id);
  expect(end).toMatchObject({ state: "finished", progress: { delivered: REFUSED, dead: 0, pending: 0 } });

  const accepted = world.accepted("twilio").slice(callsBefore);
  const redriven = accepted.filter((reference) => dead.includes(reference));
  expect(redriven).toHaveLength(REFUSED);
  expect(new Set(redriven).size).toBe(REFUSED);
  expect(accepted.filter((reference) => unknown.includes(reference))).toEqual([]);

  await expectOneBudget();

  // Fresh reminders stayed inside their promise, and the gate that is stored with the redrive says so.
  const measures = end.gate?.measures.filter(({ channel, lane }) => channel === "sms" && lane === "standard");
  const lateness = measures?.find(({ measure }) => measure === "p99_due_to_accepted_ms");
  expect(lateness).toMatchObject({ ok: true });
  const late = await rows<{ ms: number }>(
    database(),
    sql`select epoch_ms(finished_at) - epoch_ms(scheduled_at) as ms from deliveries
      where subscriber_id = ${fresh.id}::uuid and state = 'delivered' order by 1`,
  );
  expect(late).toHaveLength(FRESH);
  expect(late.at(-1)?.ms).toBeLessThan(lateness?.limit ?? 0);
  const { checks } = await checkInvariants({ historyMs: Number.POSITIVE_INFINITY });
  expect(checks.filter((check) => check.violations > 0)).toEqual([]);
});
