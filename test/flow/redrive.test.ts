import { sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { database, rows } from "../../db/connection";
import { checkInvariants } from "../../db/console/invariants";
import { resumeRedrive } from "../../db/redrive/controls";
import { previewRedrive } from "../../db/redrive/preview";
import { readRedrive } from "../../db/redrive/read";
import { startRedrive } from "../../db/redrive/start";
import type { Channel } from "../../db/rules/outcome";
import { ringDoorbell } from "../../inngest/publish";
import { mostInOneSecond } from "../db/rules/meters";
import { World } from "../support/world";

const HOUR_MS = 3_600_000;
const OPERATOR = { name: "olga", reason: "the provider is well again" };

let world: World;

beforeEach(async () => {
  world = await World.start(Date.UTC(2031, 4, 5, 9, 0, 0));
});

afterEach(() => {
  world.close();
});

/** `count` reminders that the provider refuses for good. */
async function bury(count: number, channel: "email" | "sms" = "email"): Promise<void> {
  const { id } = await world.subscriber();
  const refusal = { email: "error:validation_error", sms: "error:21602" } as const;
  const provider = { email: "resend", sms: "twilio" } as const;
  world.providers.control(provider[channel], { fault: refusal[channel] });
  await world.remindMany(id, count, { inMs: 10_000, channels: [channel] });
  await world.advance(30_000);
  world.providers.control(provider[channel], { fault: null });
}

async function redrive(channel: Channel, ratePerSecond?: number): Promise<string> {
  const previewed = await previewRedrive(
    { filter: { channel }, ...(ratePerSecond === undefined ? {} : { ratePerSecond }) },
    OPERATOR.name,
  );
  if (!previewed.ok) throw new Error(JSON.stringify(previewed.problem));
  const { id, wouldSend } = previewed.value;
  const start = await startRedrive({ id, confirm: wouldSend, operator: OPERATOR });
  if (!start.ok) throw new Error(JSON.stringify(start.problem));
  await ringDoorbell();
  return id;
}

async function detail(id: string) {
  const read = await readRedrive(id);
  if (!read.ok) throw new Error("no redrive");
  return read.value;
}

/** What the letters of a redrive have spent of their budget at most, and how many of them were called again. */
async function spent(): Promise<{ failures: number; called: number } | undefined> {
  const [row] = await rows<{ failures: number; called: number }>(
    database(),
    sql`select max(failure_count)::int as failures, (count(*) filter (where attempt_count > 1))::int as called from deliveries`,
  );
  return row;
}

const deadRuns = () => world.engine.runs().filter((run) => run.functionId.endsWith("-dead-letter"));

async function expectPromises(): Promise<void> {
  const { checks } = await checkInvariants({ historyMs: Number.POSITIVE_INFINITY });
  expect(checks.filter((check) => check.violations > 0)).toEqual([]);
}

test("redriven dead letters are accepted once each, under the keys that they always had", async () => {
  await bury(12);
  const refused = new Set(world.providers.ledger.calls("resend").map((call) => call.key));
  const id = await redrive("email");
  await world.advance(120_000);
  expect(await detail(id)).toMatchObject({ state: "finished", progress: { delivered: 12 } });
  expect(world.accepted("resend").toSorted()).toEqual([...refused].toSorted());
  // Nothing is dead any more: there is nothing that a second redrive could choose.
  expect((await previewRedrive({ filter: { channel: "email" } }, "olga")).ok).toBe(false);
  await expectPromises();
});

test("E5: two hours of 429s once a minute: a redrive pauses itself and says why, spends nothing, and ramps up behind fresh reminders when it is resumed", async () => {
  await bury(60);
  const { providers } = world;
  providers.control("resend", { fault: "throttle", retryAfterSeconds: 60 });
  const id = await redrive("email");
  await world.advance(2 * HOUR_MS);
  expect(await detail(id)).toMatchObject({
    state: "paused",
    pauseKind: "throttled",
    pauseReason: expect.stringContaining("429"),
    progress: { delivered: 0, dead: 0 },
  });
  expect(await spent()).toEqual({ failures: 0, called: 1 });

  providers.control("resend", { fault: null });
  const before = providers.ledger.calls("resend").length;
  const fresh = await world.subscriber("fresh", { channels: ["email"] });
  const dueMs = world.nowMs() + 90_000;
  await world.remindMany(fresh.id, 10, { inMs: 90_000 });
  expect((await resumeRedrive(id, OPERATOR)).ok).toBe(true);
  await ringDoorbell();
  await world.advance(30_000);
  expect(providers.ledger.calls("resend").length - before).toBeLessThan(40);
  await world.advance(570_000);
  expect(await detail(id)).toMatchObject({ state: "finished", progress: { delivered: 60 } });
  const calls = providers.ledger.calls("resend").slice(before);
  expect(mostInOneSecond(calls.map(({ at }) => at))).toBeLessThanOrEqual(5 + 1);
  const late = calls.filter(({ destination }) => destination.includes("fresh")).map(({ at }) => at - dueMs);
  expect(late).toHaveLength(10);
  // Ten at five a second are two seconds' worth, and at most a few redriven ones had their slots before.
  expect(Math.max(...late)).toBeLessThanOrEqual(4_000);
  expect(new Set(world.accepted("resend")).size).toBe(world.accepted("resend").length);
  await expectPromises();
});

describe("kill -9 of the app at any effect of a redrive: it goes on by itself, and nothing is accepted twice", () => {
  test.each([1, 2, 4, 7, 12, 20, 33, 54])("at crossing %d", async (fatal) => {
    await bury(8);
    const id = await redrive("email");
    let crossings = 0;
    world.app.onCrossing = () => {
      crossings += 1;
      if (crossings === fatal) world.killApp();
    };
    await world.advance(3_000);
    world.app.onCrossing = null;
    expect(world.app.down).toBe(true);
    await world.advance(5_000);
    await world.restartApp();
    await world.advance(240_000);
    expect(await detail(id)).toMatchObject({ state: "finished", progress: { delivered: 8 } });
    expect(world.accepted("resend")).toHaveLength(8);
    expect(new Set(world.accepted("resend")).size).toBe(8);
    await expectPromises();
  });
});

test("an engine that has forgotten everything loses no redrive", async () => {
  await bury(8);
  const id = await redrive("email");
  await world.advance(1_500);
  await world.forgetEngine();
  await world.advance(240_000);
  expect(await detail(id)).toMatchObject({ state: "finished", progress: { delivered: 8 } });
  expect(new Set(world.accepted("resend")).size).toBe(8);
});

describe("rerunning dead-letter runs in the engine's dashboard", () => {
  test("one or many: each is redriven under its key, paced; a second rerun says that it was delivered", async () => {
    await bury(10);
    const failed = deadRuns().filter((run) => run.status === "failed");
    expect(failed).toHaveLength(10);
    await world.advance(30_000);
    for (const run of failed) world.engine.rerun(run.id);
    await world.advance(2_000);
    expect(world.accepted("resend").length).toBeLessThan(10);
    await world.advance(120_000);
    expect(new Set(world.accepted("resend")).size).toBe(10);
    expect(world.accepted("resend")).toHaveLength(10);
    const again = world.engine.rerun(failed[0]?.id ?? "");
    await world.advance(10_000);
    expect(deadRuns().find((run) => run.id === again)).toMatchObject({
      status: "completed",
      output: expect.objectContaining({ because: "it was delivered" }),
    });
    expect(world.accepted("resend")).toHaveLength(10);
    await expectPromises();
  });

  test("a repeated event sends nothing, also to an engine that has forgotten the first", async () => {
    await bury(3);
    await world.forgetEngine();
    await world.advance(120_000);
    // As after a crash between sending and marking: the publisher sends the same events again.
    await rows(
      database(),
      sql`update outbox set published_at = null, claimed_until = null where event_name = 'delivery/dead'`,
    );
    await ringDoorbell();
    await world.advance(120_000);
    expect(deadRuns()).toHaveLength(3);
    expect(world.accepted("resend")).toHaveLength(0);
  });

  test("an unknown outcome is not redriven and says why", async () => {
    const { id } = await world.subscriber();
    world.providers.control("twilio", {
      fault: "reset",
      faultWhen: "after",
      faultCount: 1,
      receipts: "absent",
    });
    await world.remind(id, { inMs: 10_000, channels: ["sms"] });
    await world.advance(60_000);
    const [run] = deadRuns();
    const again = world.engine.rerun(run?.id ?? "");
    await world.advance(60_000);
    const rerun = deadRuns().find((entry) => entry.id === again);
    expect(rerun?.status).toBe("failed");
    expect(JSON.stringify(rerun?.error)).toContain("not redriven because its outcome is unknown");
    expect(world.accepted("twilio")).toHaveLength(1);
  });
});
