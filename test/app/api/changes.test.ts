import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { World } from "../../support/world";
import { type Answer, call } from "./calls";
import { createReminder, openShop } from "./shop";

let world: World;
let key: string;

beforeEach(async () => {
  key = await openShop();
  world = await World.start(Date.UTC(2031, 4, 5, 9, 0, 0));
  await world.subscriber("ada");
});

afterEach(() => {
  world.close();
});

/** Calls, lets what follows the answer happen, and returns the answer. */
async function send(method: string, path: string, body?: object): Promise<Answer> {
  const answer = await call(method, `/api/v1/reminders/${path}`, { key, body });
  await answer.afterwards();
  await world.settle();
  return answer;
}

/** A reminder due in a minute, with its event published. */
async function remind(channels = ["email"], change: object = {}): Promise<string> {
  const dueAt = new Date(world.nowMs() + 60_000).toISOString();
  const answer = await createReminder(key, { channels, dueAt, ...change });
  expect(answer.status, answer.text).toBe(201);
  await answer.afterwards();
  return answer.body.id;
}

async function states(id: string): Promise<string[]> {
  const { body } = await send("GET", `${id}/deliveries`);
  return body.deliveries.map(
    (delivery: { channel: string; state: string; reason: string | null }) =>
      `${delivery.channel} ${delivery.state}${delivery.reason ? `/${delivery.reason}` : ""}`,
  );
}

describe("a cancel", () => {
  test("before the time ends everything, and says the same when it is repeated", async () => {
    const id = await remind(["email", "sms"]);
    const first = await send("DELETE", id);
    expect(first).toMatchObject({ status: 200, body: { id, status: "cancelled" } });
    expect(first.body.cancelled).toEqual([
      { channel: "email", outcome: "cancelled" },
      { channel: "sms", outcome: "cancelled" },
    ]);
    expect((await send("DELETE", id)).body).toEqual(first.body);
    await world.advance(120_000);
    expect(world.providers.ledger.summary().accepted).toBe(0);
    expect(await states(id)).toEqual([]);
  });

  test("during a call is too late for that channel only, and the call ends as it began", async () => {
    world.providers.control("resend", { latencyMs: 5_000 });
    world.providers.control("twilio", { fault: "throttle", faultCount: 100, retryAfterSeconds: 30 });
    const id = await remind(["email", "sms"]);
    await world.advance(62_000);
    expect(await states(id)).toEqual(["email sending", "sms deferred"]);
    expect((await send("DELETE", id)).body.cancelled).toEqual([
      { channel: "email", outcome: "too_late" },
      { channel: "sms", outcome: "cancelled" },
    ]);
    await world.advance(60_000);
    expect(await states(id)).toEqual(["email delivered", "sms expired/cancelled"]);
    expect((await send("DELETE", id)).body.cancelled).toEqual([
      { channel: "email", outcome: "already_sent" },
      { channel: "sms", outcome: "cancelled" },
    ]);
  });

  test("after a call of unknown outcome does not say that nothing was sent", async () => {
    world.providers.control("resend", { fault: "hang", faultCount: 1 });
    const id = await remind();
    await world.advance(60_000 + 11_000);
    expect(await states(id)).toEqual(["email deferred"]);
    const unknown = [{ channel: "email", outcome: "outcome_unknown" }];
    expect((await send("DELETE", id)).body.cancelled).toEqual(unknown);
    expect(await states(id)).toEqual(["email dead/outcome_unknown"]);
    expect((await send("DELETE", id)).body.cancelled).toEqual(unknown);
  });

  test("of what was sent, or had ended, says so", async () => {
    const sent = await remind();
    const expired = await remind(["sms"], { expiresAfterSeconds: 60 });
    world.providers.control("twilio", { fault: "throttle", faultCount: 100, retryAfterSeconds: 600 });
    await world.advance(300_000);
    expect(await states(expired)).toEqual(["sms expired/past_deadline"]);
    expect((await send("DELETE", sent)).body.cancelled).toEqual([
      { channel: "email", outcome: "already_sent" },
    ]);
    expect((await send("DELETE", expired)).body.cancelled).toEqual([
      { channel: "sms", outcome: "already_ended" },
    ]);
  });

  test("of a snoozed reminder speaks of its next time, not of the one that was sent", async () => {
    const id = await remind();
    await world.advance(62_000);
    await send("POST", `${id}/snooze`, { minutes: 10 });
    const first = await send("DELETE", id);
    expect(first.body.cancelled).toEqual([{ channel: "email", outcome: "cancelled" }]);
    expect((await send("DELETE", id)).body.cancelled).toEqual(first.body.cancelled);
    await world.advance(700_000);
    expect(await states(id)).toEqual(["email delivered"]);
  });
});

describe("an edit", () => {
  test("changes what it names, counts a version, and only the new one is delivered", async () => {
    const id = await remind(["email"], { note: "Old note", url: "https://shop.example/old" });
    const before = (await send("GET", id)).body;
    const edited = await send("PATCH", id, { title: "Pay the tax", note: null, channels: ["sms"] });
    expect(edited.body).toEqual({
      ...before,
      title: "Pay the tax",
      note: null,
      channels: ["sms"],
      version: 2,
    });
    expect((await send("GET", id)).body).toEqual(edited.body);
    await world.advance(62_000);
    expect(await states(id)).toEqual(["sms delivered"]);
  });

  test("that changes nothing counts no version, however often it comes", async () => {
    const id = await remind();
    const before = (await send("GET", id)).body;
    for (const body of [{}, { title: before.title }, { dueAt: before.dueAt }, { channels: ["email"] }]) {
      expect(await send("PATCH", id, body)).toMatchObject({ status: 200, body: before });
    }
  });

  test("of a sent reminder is too late without a new time, and with one sends again", async () => {
    const id = await remind();
    await world.advance(62_000);
    const late = await send("PATCH", id, { title: "Too late" });
    expect(late).toMatchObject({
      status: 409,
      body: { code: "too_late", detail: expect.stringContaining("new time") },
    });
    const dueAt = new Date(world.nowMs() + 60_000).toISOString();
    expect(await send("PATCH", id, { title: "Again", dueAt })).toMatchObject({
      status: 200,
      body: { version: 2 },
    });
    await world.advance(62_000);
    expect(await states(id)).toEqual(["email delivered", "email delivered"]);
  });

  test("of a cancelled reminder is a conflict, and so is a snooze", async () => {
    const id = await remind();
    await send("DELETE", id);
    for (const answer of [
      await send("PATCH", id, { title: "x" }),
      await send("POST", `${id}/snooze`, { minutes: 5 }),
    ]) {
      expect(answer).toMatchObject({
        status: 409,
        body: { code: "conflict", detail: expect.stringContaining("cancelled") },
      });
    }
  });

  test("by ten callers at once ends with one whole version, and nobody is told a half truth", async () => {
    const id = await remind();
    const titles = Array.from({ length: 10 }, (_, index) => `Title ${index}`);
    const answers = await Promise.all(
      titles.map((title) => call("PATCH", `/api/v1/reminders/${id}`, { key, body: { title, note: title } })),
    );
    const edited = answers.filter((answer) => answer.status === 200);
    for (const answer of answers) expect([200, 409]).toContain(answer.status);
    for (const { body } of edited) expect(body.note).toBe(body.title);
    const now = (await send("GET", id)).body;
    expect(now.version).toBe(1 + edited.length);
    expect(edited.map(({ body }) => body.version).sort((one, other) => one - other)).toEqual(
      edited.map((_, index) => index + 2),
    );
  });
});

describe("a snooze", () => {
  test("by minutes counts from the request, and a delivered reminder is delivered again", async () => {
    const id = await remind();
    await world.advance(62_000);
    const first = (await send("GET", id)).body;
    const snoozed = await send("POST", `${id}/snooze`, { minutes: 10 });
    expect(snoozed.status).toBe(200);
    expect(snoozed.body.dueAt).toBe(new Date(world.nowMs() + 600_000).toISOString());
    expect(snoozed.body.occurrence).not.toBe(first.occurrence);
    await world.advance(602_000);
    const { body } = await send("GET", `${id}/deliveries`);
    expect(body.deliveries.map((delivery: { occurrence: string }) => delivery.occurrence)).toEqual([
      first.occurrence,
      snoozed.body.occurrence,
    ]);
    expect(await states(id)).toEqual(["email delivered", "email delivered"]);
  });

  test("until a time takes every form of a due time", async () => {
    const id = await remind();
    const instants = [
      ["2031-05-06T09:00:00+02:00", "2031-05-06T07:00:00.000Z"],
      [{ local: "2031-05-06T09:00", timeZone: "Asia/Kathmandu" }, "2031-05-06T03:15:00.000Z"],
    ] as const;
    for (const [dueAt, instant] of instants) {
      expect((await send("POST", `${id}/snooze`, { dueAt })).body.dueAt).toBe(instant);
    }
  });
});
