import { sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { rows, transact } from "../../db/connection";
import { readDeliveryStory } from "../../db/console/delivery";
import { tellTimeline } from "../../db/rules/delivery-timeline";
import { World } from "../support/world";

/** Texts of which no report ever comes: only the provider's list can tell what became of them. */
let world: World;

beforeEach(async () => {
  world = await World.start(Date.UTC(2031, 4, 5, 9, 0, 0));
  world.providers.control("twilio", { receipts: "absent" });
});

afterEach(() => {
  world.close();
});

const lookUps = () =>
  transact((tx) =>
    rows<{ reason: string }>(
      tx,
      sql`select reason from operator_actions where action = 'look-up' order by created_at`,
    ),
  );

/** Contents never change, so they are made alike beside the guard. */
async function sayTheSame(text: string): Promise<void> {
  const run = (statement: ReturnType<typeof sql>) => transact((tx) => rows(tx, statement));
  await run(sql`alter table payloads disable trigger payloads_guard`);
  await run(sql`update payloads set content = jsonb_build_object('text', ${text}::text, 'segments', 1)`);
  await run(sql`alter table payloads enable trigger payloads_guard`);
}

describe("before a person has to decide, the provider is asked (P9)", () => {
  test("taken, its answer lost, no report: the list has it, and it ends as delivered", async () => {
    const { id } = await world.subscriber();
    world.providers.control("twilio", { fault: "reset", faultWhen: "after", faultCount: 1 });
    const reminder = await world.remind(id, { inMs: 30_000, channels: ["sms"] });
    await world.advance(60_000);
    expect(await world.deliveries(reminder.id)).toMatchObject([{ state: "dead", reason: "outcome_unknown" }]);
    await world.advance(120_000);
    expect(await world.deliveries(reminder.id)).toMatchObject([{ state: "delivered", reason: null }]);
    expect(world.accepted("twilio")).toHaveLength(1);
    expect(await lookUps()).toHaveLength(1);
  });

  test("never taken: it stays with a person, who reads what the provider said, and it is asked for again", async () => {
    const { id } = await world.subscriber();
    world.providers.control("twilio", { fault: "reset", faultWhen: "before", faultCount: 1 });
    const reminder = await world.remind(id, { inMs: 30_000, channels: ["sms"] });
    await world.advance(70 * 60_000);
    const [delivery] = await world.deliveries(reminder.id);
    expect(delivery).toMatchObject({ state: "dead", reason: "outcome_unknown" });
    expect(await lookUps()).toHaveLength(3);
    const story = await readDeliveryStory(delivery?.key ?? "");
    if (story === null) throw new Error("no story");
    const told = tellTimeline({ ...story.delivery, ...story }, story.nowMs);
    expect(told.map(({ title, why }) => `${title}: ${why.join("")}`)).toContainEqual(
      expect.stringContaining("Punctual: look up: “The provider's list has no message to this address"),
    );
  });

  test("two alike to one number, one taken: nobody can say which, and neither is sent again", async () => {
    const { id } = await world.subscriber();
    world.providers.control("twilio", { fault: "reset", faultWhen: "after", faultCount: 1 });
    const one = await world.remind(id, { inMs: 30_000, channels: ["sms"] });
    await world.advance(31_000);
    const [sent] = world.providers.messages({ channel: "sms" });
    // The same words from the same sender at the same time, whose answer is lost too, before it was taken.
    world.providers.control("twilio", { fault: "reset", faultWhen: "before", faultCount: 1 });
    const other = await world.remind(id, { inMs: 5_000, channels: ["sms"] });
    await sayTheSame(sent?.text ?? "");
    await world.advance(10 * 60_000);
    for (const { id: reminder } of [one, other])
      expect(await world.deliveries(reminder)).toMatchObject([{ state: "dead", reason: "outcome_unknown" }]);
    expect(world.accepted("twilio")).toHaveLength(1);
    expect((await lookUps())[0]?.reason).toContain("whose they are cannot be told");
  });

  test("a provider that does not answer is asked again, and nothing is written down", async () => {
    const { id } = await world.subscriber();
    world.providers.control("twilio", { fault: "reset", faultWhen: "after", faultCount: 1 });
    const reminder = await world.remind(id, { inMs: 30_000, channels: ["sms"] });
    await world.advance(60_000);
    world.providers.control("twilio", { latencyMs: 30_000 });
    await world.advance(120_000);
    expect(await lookUps()).toEqual([]);
    world.providers.control("twilio", { latencyMs: 0 });
    await world.advance(120_000);
    expect(await world.deliveries(reminder.id)).toMatchObject([{ state: "delivered" }]);
  });
});
