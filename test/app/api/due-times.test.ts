import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { testClock } from "../../support/database";
import { TEST_CLOCK_START } from "../../support/postgres.global";
import { call } from "./calls";
import { createReminder, openShop, putSubscriber } from "./shop";

let key: string;

beforeAll(async () => {
  key = await openShop();
  await putSubscriber(key, "ada", {
    email: "ada@shopper.example",
    timeZone: "America/Edmonton",
    verified: true,
  });
});

beforeEach(() => testClock.set(Date.parse(TEST_CLOCK_START)));

const SERVER_ZONE = process.env.TZ;

afterEach(() => {
  if (SERVER_ZONE === undefined) delete process.env.TZ;
  else process.env.TZ = SERVER_ZONE;
});

/** The hour of a machine's own clock, to see that the zone is set. */
const localHour = () => new Date("2026-03-02T12:00:00Z").getHours();

type DueAt = string | { local: string; timeZone: string };
const wall = (local: string, timeZone: string): DueAt => ({ local, timeZone });

/** What is asked for, with the instant and the zone that are answered. */
const ACCEPTED: [DueAt, string, string][] = [
  ["2026-12-24T09:00:00Z", "2026-12-24T09:00:00.000Z", "America/Edmonton"],
  ["2026-12-24T09:00:00+01:00", "2026-12-24T08:00:00.000Z", "America/Edmonton"],
  ["2027-11-07T01:30:00-04:00", "2027-11-07T05:30:00.000Z", "America/Edmonton"],
  ["2027-11-07T01:30:00-05:00", "2027-11-07T06:30:00.000Z", "America/Edmonton"],
  [wall("2026-12-24T09:00", "America/Edmonton"), "2026-12-24T16:00:00.000Z", "America/Edmonton"],
  [wall("2027-11-07T01:30", "America/New_York"), "2027-11-07T05:30:00.000Z", "America/New_York"],
  [wall("2026-12-01T09:00", "Asia/Kathmandu"), "2026-12-01T03:15:00.000Z", "Asia/Kathmandu"],
  [wall("2026-12-01T09:00", "Asia/Katmandu"), "2026-12-01T03:15:00.000Z", "Asia/Katmandu"],
  [wall("2026-07-01T09:00", "europe/kyiv"), "2026-07-01T06:00:00.000Z", "Europe/Kyiv"],
  [wall("2026-07-01T09:00", "US/Pacific"), "2026-07-01T16:00:00.000Z", "US/Pacific"],
  // At the edges of the window: two minutes past is due now, five years ahead is the last.
  ["2026-03-02T11:58:00Z", "2026-03-02T12:00:00.000Z", "America/Edmonton"],
  ["2031-03-06T12:00:00Z", "2031-03-06T12:00:00.000Z", "America/Edmonton"],
];

const REFUSED: DueAt[] = [
  "2026-12-24",
  "2026-12-24T09:00",
  "2026-03-02T11:57:59.999Z",
  "2031-03-06T12:00:00.001Z",
  wall("2027-03-14T02:30", "America/New_York"),
  wall("2026-12-24T09:00", "Mars/Base"),
];

describe.each(["UTC", "Asia/Tokyo", "America/New_York", "Pacific/Apia"])("on a server in %s", (zone) => {
  test("every due time is the same instant, and what is refused is refused with the same words", async () => {
    process.env.TZ = "UTC";
    const expected = await Promise.all(REFUSED.map((dueAt) => createReminder(key, { dueAt })));
    process.env.TZ = zone;
    if (zone === "Asia/Tokyo") expect(localHour()).toBe(21);
    for (const [dueAt, instant, timeZone] of ACCEPTED) {
      const { status, body } = await createReminder(key, { dueAt });
      expect({ status, dueAt: body.dueAt, timeZone: body.timeZone }).toEqual({
        status: 201,
        dueAt: instant,
        timeZone,
      });
      expect(body.createdAt).toBe("2026-03-02T12:00:00.000Z");
      const read = await call("GET", `/api/v1/reminders/${body.id}`, { key });
      expect(read.body).toEqual(body);
    }
    for (const [index, dueAt] of REFUSED.entries()) {
      const answer = await createReminder(key, { dueAt });
      expect(answer.status).toBe(422);
      expect(answer.text).toBe(expected[index]?.text);
    }
  });
});

test("a time that passes between request and arrival counts from the ledger's clock, not from the machine's", async () => {
  await testClock.set(Date.parse("2026-06-01T00:00:00Z"));
  expect((await createReminder(key, { dueAt: "2026-05-31T23:57:59Z" })).status).toBe(422);
  const late = await createReminder(key, { dueAt: "2026-05-31T23:58:30Z" });
  expect(late).toMatchObject({ status: 201, body: { dueAt: "2026-06-01T00:00:00.000Z", status: "active" } });
});
