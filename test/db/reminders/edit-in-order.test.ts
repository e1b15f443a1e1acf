import { beforeEach, expect, test } from "vitest";
import { openDeliveries } from "../../../db/ledger/open";
import { editReminder, type RenderReminder } from "../../../db/reminders/edit";
import { scheduleReminder } from "../../../db/reminders/schedule";
import type { EditReminderBody } from "../../../db/rules/api-schemas";
import { testClock } from "../../support/database";
import { emptyLedger, inMs, makeShopper } from "../../support/factories";
import {
  ACCEPTED,
  admitRows,
  begin,
  deliveriesOf,
  occurrencesOf,
  renderPayloads,
  settle,
} from "../../support/ledger";

beforeEach(emptyLedger);

const SHOP = { kind: "shop" } as const;
const HOUR_MS = 3_600_000;
const STEP_MS = 600_000;

const render: RenderReminder = async (reminder) =>
  reminder.channels.map((channel) => ({ channel, content: { text: reminder.title }, cost: 1 }));

/** A reminder that has come this minute: the text first, ten minutes later the email. */
async function makeComing(): Promise<string> {
  const subscriber = await makeShopper({ channels: ["email", "sms"] });
  const set = await scheduleReminder({
    owner: SHOP,
    subscriberId: subscriber.id,
    title: "Take the pills",
    note: null,
    url: null,
    dueAt: inMs(60_000).toISOString(),
    channels: ["sms", "email"],
    expiresAfterSeconds: 86_400,
    nextChannelAfterMinutes: 10,
  });
  if (!set.ok) throw new Error(JSON.stringify(set.problem));
  const { id } = set.value.value;
  await testClock.advance(60_000);
  await open(id);
  return id;
}

async function open(id: string): Promise<void> {
  const waiting = (await occurrencesOf(id)).filter((row) => row.state === "waiting");
  for (const row of waiting) {
    await renderPayloads(row);
    await openDeliveries([row.id]);
  }
}

async function edit(id: string, patch: EditReminderBody): Promise<void> {
  const result = await editReminder(SHOP, id, patch, render);
  if (!result.ok) throw new Error(JSON.stringify(result.problem));
}

async function read(id: string) {
  const all = await Promise.all((await occurrencesOf(id)).map((row) => deliveriesOf(row.id)));
  return all.flat();
}

test("a reminder that has come and goes to another time comes there one channel after the other", async () => {
  const id = await makeComing();
  await edit(id, { dueAt: inMs(HOUR_MS).toISOString() });
  const [email, sms] = await read(id);
  expect(sms).toMatchObject({ scheduledAt: inMs(HOUR_MS), nextEligibleAt: inMs(HOUR_MS), lastClass: null });
  const later = inMs(HOUR_MS + STEP_MS);
  expect(email).toMatchObject({ scheduledAt: later, nextEligibleAt: later, lastClass: "not_before" });
  expect(email?.expiresAt).toEqual(new Date(later.getTime() + 86_400_000));
  expect(await occurrencesOf(id)).toMatchObject([{ state: "opened", dueAt: inMs(HOUR_MS) }]);
});

test("the order of the edit is the order in which they come", async () => {
  const id = await makeComing();
  await edit(id, {
    dueAt: inMs(HOUR_MS).toISOString(),
    channels: ["email", "sms"],
    nextChannelAfterMinutes: 20,
  });
  const [email, sms] = await read(id);
  expect(email).toMatchObject({ scheduledAt: inMs(HOUR_MS), lastClass: null });
  expect(sms).toMatchObject({ scheduledAt: inMs(HOUR_MS + 2 * STEP_MS), lastClass: "not_before" });
});

test("when the first was sent already, both come again at the new time, in their order", async () => {
  const id = await makeComing();
  const [, sms] = await read(id);
  if (sms === undefined) throw new Error("no text");
  await admitRows([sms.id]);
  await settle(await begin(sms), ACCEPTED);
  await edit(id, { dueAt: inMs(HOUR_MS).toISOString() });
  await testClock.advance(HOUR_MS);
  await open(id);
  const again = (await read(id)).filter((row) => row.version === 2);
  expect(again).toMatchObject([
    { channel: "email", scheduledAt: inMs(STEP_MS), lastClass: "not_before" },
    { channel: "sms", scheduledAt: inMs(0), lastClass: null },
  ]);
  expect((await read(id)).filter((row) => row.version === 1).map((row) => row.reason)).toEqual([
    "superseded",
    null,
  ]);
});
