import { eq } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { database } from "../../../db/connection";
import { readReminder } from "../../../db/reminders/read";
import { rederiveInstants } from "../../../db/reminders/rederive";
import { scheduleReminder } from "../../../db/reminders/schedule";
import * as schema from "../../../db/schema";
import { updateSubscriber } from "../../../db/subscribers";
import { emptyLedger, makeShopper } from "../../support/factories";
import { occurrencesOf, readOutbox } from "../../support/ledger";

beforeEach(async () => {
  await emptyLedger();
  await database().update(schema.ledgerState).set({ zoneData: "2025a" });
});

const SHOP = { kind: "shop" } as const;
/** Nine in the evening in Berlin in summer. */
const RIGHT = "2026-07-01T19:00:00.000Z";

async function set(floating = false) {
  const subscriber = await makeShopper({ channels: ["email"] });
  const stored = await scheduleReminder({
    owner: SHOP,
    subscriberId: subscriber.id,
    title: "Water the plants",
    note: null,
    url: null,
    dueAt: { local: "2026-07-01T21:00", timeZone: "Europe/Berlin" },
    channels: ["email"],
    expiresAfterSeconds: 86_400,
    floating,
  });
  if (!stored.ok) throw new Error(JSON.stringify(stored.problem));
  return { id: stored.value.value.id, subscriberId: subscriber.id };
}

async function dueOf(id: string) {
  const read = await readReminder(SHOP, id);
  const [occurrence] = await occurrencesOf(id);
  return [read.ok && read.value.dueAt, occurrence?.dueAt.toISOString()];
}

test("with other zone data a waiting wall time means another instant, and its wait is armed for it", async () => {
  const { id } = await set();
  // As if it had been derived when Berlin was to keep winter time.
  const wrong = new Date("2026-07-01T20:00:00Z");
  await database().update(schema.reminders).set({ dueAt: wrong }).where(eq(schema.reminders.id, id));
  await database()
    .update(schema.occurrences)
    .set({ dueAt: wrong })
    .where(eq(schema.occurrences.reminderId, id));
  expect(await rederiveInstants("2026b")).toBe(1);
  expect(await dueOf(id)).toEqual([RIGHT, RIGHT]);
  const armed = (await readOutbox("reminder/scheduled")).map((event) => event.eventId);
  expect(armed).toContain(`due:${Date.parse(RIGHT) / 1000}:g1`);
  expect(await rederiveInstants("2026b")).toBeNull();
  expect(await rederiveInstants("2026c")).toBe(0);
});

test("a reminder that holds wherever its owner is goes with them; one in a fixed zone stays", async () => {
  const moving = await set(true);
  const fixed = await set();
  await updateSubscriber(moving.subscriberId, { timeZone: "America/New_York" });
  await updateSubscriber(fixed.subscriberId, { timeZone: "America/New_York" });
  expect(await dueOf(moving.id)).toEqual(["2026-07-02T01:00:00.000Z", "2026-07-02T01:00:00.000Z"]);
  expect(await dueOf(fixed.id)).toEqual([RIGHT, RIGHT]);
});
