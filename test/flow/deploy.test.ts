import { NonRetriableError } from "inngest";
import { afterEach, describe, expect, test } from "vitest";
import { processGeneration } from "../../db/admission/partitions";
import { checkInvariants } from "../../db/console/invariants";
import { functions, inngest } from "../../inngest";
import { openDueSecond } from "../../inngest/opening";
import { World } from "../support/world";
import { routes, routesOf } from "../support/world-routes";

/**
 * The wait as it was before crowded seconds were opened ahead: it knows fewer fields of the event and has fewer steps. What
 * fell asleep in it has these steps' answers and no others.
 */
const earlierWait = inngest.createFunction(
  { id: "wait-until-due", triggers: [{ event: "reminder/scheduled" }], retries: 10 },
  async ({ event, step }) => {
    const { v, dueSecond, generation } = event.data as { v: number; dueSecond: number; generation: string };
    if (v !== 1) throw new NonRetriableError("reminder/scheduled: another version");
    if (generation !== processGeneration()) return { held: "another ledger generation" };
    await step.sleepUntil("until-due", new Date(dueSecond * 1000 - 2_000));
    return step.run("open-due", () => openDueSecond(dueSecond));
  },
);

const isWait = (id: string) => id === "wait-until-due";

/** A build with the wait of before. */
const earlier = routesOf(functions.map((fn) => (isWait(fn.id()) ? earlierWait : fn)));

const START_MS = Date.UTC(2031, 4, 5, 9, 0, 0);

let world: World;

afterEach(() => {
  world.close();
});

const start = async (build = routes) => {
  world = await World.start(START_MS, undefined, build);
};

const waits = () => world.engine.runs().filter((run) => run.functionId === "punctual-wait-until-due");

async function promisesKept() {
  const { checks } = await checkInvariants({ historyMs: Number.POSITIVE_INFINITY });
  expect(checks.filter((check) => check.violations > 0)).toEqual([]);
}

describe("a run that is asleep while another build takes the place of the one that it fell asleep in", () => {
  test.each([
    ["the newer one wakes it", earlier, routes],
    ["the older one wakes it, after a rollback", routes, earlier],
  ])("%s: each channel is sent once, at the instant, by that run", async (_who, before, after) => {
    await start(before);
    const { id } = await world.subscriber("ada");
    const { dueAt } = await world.remind(id, { inMs: 120_000, channels: ["email", "sms", "push"] });
    await world.advance(50_000);
    const asleep = waits();
    expect(asleep.map(({ status }) => status)).toEqual(["waiting"]);
    await world.deploy(after);
    await world.advance(75_000);
    const calls = world.providers.ledger.calls();
    expect(calls).toHaveLength(3);
    for (const { at, accepted } of calls)
      expect([accepted, at - Date.parse(dueAt)]).toEqual([true, expect.closeTo(0, -2)]);
    expect(waits().map(({ id: run, status }) => [run, status])).toEqual([[asleep[0]?.id, "completed"]]);
    await promisesKept();
  });

  test("runs that drain a backlog go on in it at their rate, and nothing is sent twice", async () => {
    await start(earlier);
    const { id } = await world.subscriber("ada", { channels: ["email"] });
    await world.remindMany(id, 60, { inMs: 10_000, channels: ["email"] });
    await world.advance(13_000);
    const before = world.accepted("resend").length;
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThan(60);
    await world.deploy(routes);
    await world.advance(150_000);
    expect(world.accepted("resend")).toHaveLength(60);
    expect(world.providers.ledger.summary()).toMatchObject({ accepted: 60, duplicates: 0 });
    await promisesKept();
  });
});

test("an event of a version that this build does not read ends its run, and the sweep opens what it stood for", async () => {
  await start();
  world.onEvent = (event) =>
    event.name === "reminder/scheduled" ? { ...event, data: { ...event.data, v: 2 } } : event;
  const { id } = await world.subscriber("ada");
  await world.remind(id, { inMs: 120_000, channels: ["email", "sms"] });
  await world.advance(60_000);
  expect(waits().map(({ status }) => status)).toEqual(["failed"]);
  await world.advance(150_000);
  expect(world.providers.ledger.summary()).toMatchObject({ accepted: 2, duplicates: 0 });
  await promisesKept();
});
