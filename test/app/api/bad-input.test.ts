import { beforeAll, describe, expect, test } from "vitest";
import { printable } from "../../../db/rules/errors";
import type { Answer } from "./calls";
import { call } from "./calls";
import { ADA, countRows, createReminder, openShop, putSubscriber, RENT } from "./shop";

const KEYS = { p256dh: `BA${"x".repeat(85)}`, auth: "y".repeat(22) };
const HALF_EMOJI = "\ud83d";

let key: string;
let reminderId: string;

beforeAll(async () => {
  key = await openShop();
  await putSubscriber(key, "ada");
  await putSubscriber(key, "bob", { email: "bob@shopper.example", timeZone: "UTC" });
  await putSubscriber(key, "eve", { timeZone: "UTC" });
  reminderId = (await createReminder(key)).body.id;
});

/** Makes the request and holds it to the promise: 422, the field and what is accepted are named, nothing is stored. */
async function refused(request: () => Promise<Answer>, field: string, accepted: string): Promise<void> {
  const before = await countRows();
  const answer = await request();
  expect(answer.status, answer.text).toBe(422);
  expect(answer.headers.get("content-type")).toBe("application/problem+json");
  expect(answer.body).toMatchObject({
    type: "urn:punctual:problem:invalid_input",
    status: 422,
    code: "invalid_input",
  });
  const error = answer.body.errors.find((candidate: { field: string }) => candidate.field === field);
  expect(error, `${field} in ${answer.text}`).toBeDefined();
  expect(error.accepted).toContain(accepted);
  expect(answer.body.detail).toContain(error.message);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: an error is safe to print
  expect(answer.text).not.toMatch(/[\u0000-\u001f\u007f]|\\u[0-9a-f]{4}/);
  expect(await countRows()).toEqual(before);
}

const ONE_LINE = "one line of text of 1 to 200 characters";
const WITH_OFFSET = "a date and time with an offset";
const WINDOW = "a time from now (2026-03-02T12:00:00Z) to 2031-03-06T12:00:00Z";
const ZONE = "an IANA time zone name";
const wall = (local: string, timeZone: string) => ({ dueAt: { local, timeZone } });

describe("a new reminder is refused, and nothing stored,", () => {
  const cases: [Record<string, unknown>, string, string][] = [
    [{ dueAt: "2027-02-29T10:00:00Z" }, "dueAt", "a date that exists"],
    [{ dueAt: "2026-02-30T10:00:00Z" }, "dueAt", "a date that exists"],
    [{ dueAt: "2026-12-10T25:00:00Z" }, "dueAt", WITH_OFFSET],
    [{ dueAt: "0000-01-01T00:00:00Z" }, "dueAt", WINDOW],
    [{ dueAt: "+275760-09-13T00:00:00Z" }, "dueAt", WITH_OFFSET],
    [{ dueAt: "9999-12-31T23:59:59Z" }, "dueAt", WINDOW],
    [{ dueAt: "2038-01-19T03:14:08Z" }, "dueAt", WINDOW],
    [{ dueAt: "2026-03-02T11:57:59Z" }, "dueAt", WINDOW],
    [{ dueAt: "2026-02-27T12:00:00Z" }, "dueAt", WINDOW],
    [{ dueAt: "2026-12-24" }, "dueAt", WITH_OFFSET],
    [{ dueAt: "2026-12-24T09:00" }, "dueAt", WITH_OFFSET],
    [{ dueAt: "2026-12-24 09:00:00+01:00" }, "dueAt", WITH_OFFSET],
    [{ dueAt: "in ten minutes" }, "dueAt", WITH_OFFSET],
    [{ dueAt: 1_798_102_800_000 }, "dueAt", WITH_OFFSET],
    [{ dueAt: null }, "dueAt", WITH_OFFSET],
    [{ dueAt: [] }, "dueAt", WITH_OFFSET],
    [{ dueAt: undefined }, "dueAt", WITH_OFFSET],
    [{ dueAt: { local: "2026-12-24T09:00" } }, "dueAt.timeZone", ZONE],
    [wall("2027-02-29T10:00", "Europe/Berlin"), "dueAt.local", "a date that exists"],
    [wall("2026-12-24T09:00Z", "Europe/Berlin"), "dueAt.local", "a date and time without offset"],
    [
      wall("2027-03-14T02:30", "America/New_York"),
      "dueAt.local",
      "2027-03-14T01:59 or from 2027-03-14T03:00",
    ],
    [
      wall("2027-10-03T02:15", "Australia/Lord_Howe"),
      "dueAt.local",
      "2027-10-03T01:59 or from 2027-10-03T02:30",
    ],
    [wall("2026-12-24T09:00", "Mars/Base"), "dueAt.timeZone", ZONE],
    [wall("2026-12-24T09:00", "+05:45"), "dueAt.timeZone", ZONE],
    [wall("2026-12-24T09:00", "Europe/Berlin\u0000"), "dueAt.timeZone", ZONE],
    [wall("2025-12-24T09:00", "Europe/Berlin"), "dueAt", WINDOW],
    [{ title: "a\u0000b" }, "title", ONE_LINE],
    [{ title: "a\u0007b" }, "title", ONE_LINE],
    [{ title: `ab${HALF_EMOJI}` }, "title", ONE_LINE],
    [{ title: "Sale\r\nBcc: b@example.com" }, "title", ONE_LINE],
    [{ title: "Sale\u2028Bcc" }, "title", ONE_LINE],
    [{ title: "\u200b\u200d" }, "title", ONE_LINE],
    [{ title: "  " }, "title", ONE_LINE],
    [{ title: "€".repeat(201) }, "title", ONE_LINE],
    [{ title: ["x"] }, "title", ONE_LINE],
    [{ note: "a\u0000b" }, "note", "text of at most 2000 characters"],
    [{ note: HALF_EMOJI }, "note", "text of at most 2000 characters"],
    [{ note: "x".repeat(2001) }, "note", "text of at most 2000 characters"],
    [{ note: 5 }, "note", "text of at most 2000 characters"],
    [{ url: "javascript:alert(1)" }, "url", "a link that starts with https:// or http://"],
    [{ url: "https://shop.example@evil.example/" }, "url", "without a user name"],
    [{ url: `https://shop.example/${"x".repeat(2000)}` }, "url", "at most 2000 characters"],
    [{ url: "https://shop.example/\u0000" }, "url", "a link that starts with https:// or http://"],
    [{ channels: [] }, "channels", "a list of one or more of email, sms and push, each once"],
    [{ channels: "email" }, "channels", "a list of one or more of email, sms and push, each once"],
    [{ channels: { email: true } }, "channels", "a list of one or more of email, sms and push, each once"],
    [{ channels: ["email", "email"] }, "channels", "each once"],
    [{ channels: ["email", "fax"] }, "channels.1", "email, sms or push"],
    [{ channels: ["EMAIL"] }, "channels.0", "email, sms or push"],
    [{ channels: ["email", "push"] }, "channels", "any of email, sms"],
    [{ subscriber: "bob" }, "channels", "no channel yet: verify an address first"],
    [{ subscriber: "eve" }, "channels", "no channel yet: verify an address first"],
    [{ subscriber: "nobody" }, "subscriber", "the external id of a subscriber that was PUT before"],
    [{ subscriber: "a\u0000" }, "subscriber", "ASCII characters without spaces"],
    [{ subscriber: undefined }, "subscriber", "the shop's id of the subscriber"],
    [{ expiresAfterSeconds: 59 }, "expiresAfterSeconds", "a whole number of seconds from 60 to 604800"],
    [{ expiresAfterSeconds: "3600" }, "expiresAfterSeconds", "a whole number of seconds from 60 to 604800"],
    [{ expiresAfterSeconds: 1e300 }, "expiresAfterSeconds", "a whole number of seconds from 60 to 604800"],
    [{ repeat: { every: "day" } }, "repeat", "a repetition rule, or null"],
    [{ repeat: "FREQ=HOURLY" }, "repeat", "a rule such as FREQ=WEEKLY"],
    [{ nextChannelAfterMinutes: 0 }, "nextChannelAfterMinutes", "from 1 to 1440"],
    [{ subscriberId: "0b6cf4c1-5a2e-4f6e-9c8e-3f6f0d1c2b3a" }, "subscriberId", "left out"],
    [{ userId: "ada" }, "userId", "left out"],
    [{ id: "0b6cf4c1-5a2e-4f6e-9c8e-3f6f0d1c2b3a" }, "id", "left out"],
  ];
  for (const [change, field, accepted] of cases) {
    test(`with ${printable(change)}: names ${field} and what is accepted`, () =>
      refused(() => createReminder(key, change), field, accepted));
  }

  test("with many mistakes: names every one of them", async () => {
    const answer = await createReminder(key, { title: "", dueAt: "soon", channels: ["fax"], colour: "red" });
    const fields = answer.body.errors.map((error: { field: string }) => error.field);
    expect(fields.sort()).toEqual(["channels.0", "colour", "dueAt", "title"]);
  });

  test("and in the text of the request a NUL or a half emoji in a key is as bad as in a value", () =>
    refused(
      () => call("POST", "/api/v1/reminders", { key, body: '{"a\\u0000\\ud83d": 1}' }),
      '"a\\u{0}\\u{d83d}"',
      "left out",
    ));
});

const LONG = 300 * 1024;

/** More than is ever read: who reads all of it before refusing runs into the failure at its end. */
function endless(): ReadableStream<Uint8Array> {
  let sent = 0;
  return new ReadableStream({
    pull(controller) {
      sent += 1;
      if (sent > 100) controller.error(new Error("the body was read to its end"));
      else controller.enqueue(new Uint8Array(16 * 1024).fill(0x20));
    },
  });
}

describe("a body is refused as a whole", () => {
  const bodies: [string, unknown, string][] = [
    ["absent", undefined, "a JSON object"],
    ["empty", "", "a JSON object"],
    ["a form", "title=Rent", "a JSON object"],
    ["cut off", '{"title": "Pay', "a JSON object"],
    ["two objects", "{}{}", "a JSON object"],
    ["a JSON list", "[]", "an object with"],
    ["a JSON text", '"title"', "an object with"],
    ["null", "null", "an object with"],
    ["not UTF-8", new Uint8Array([0x7b, 0x22, 0xed, 0xa0, 0xbd, 0x22, 0x3a, 0x31, 0x7d]), "UTF-8"],
    ["huge", JSON.stringify({ ...RENT, note: "x".repeat(LONG) }), "at most 262144 bytes"],
    ["deeply nested", "[".repeat(100_000), "a JSON object"],
  ];
  const routes: [string, () => string][] = [
    ["POST", () => "/api/v1/reminders"],
    ["PATCH", () => `/api/v1/reminders/${reminderId}`],
    ["POST", () => `/api/v1/reminders/${reminderId}/snooze`],
    ["PUT", () => "/api/v1/subscribers/new"],
  ];
  for (const [what, body, accepted] of bodies) {
    test(`when it is ${what}, on every route that takes one`, async () => {
      for (const [method, path] of routes) {
        await refused(() => call(method, path(), { key, body }), "body", accepted);
      }
    });
  }

  test("when it never ends: reading stops at the limit", () =>
    refused(
      () => call("POST", "/api/v1/reminders", { key, body: endless() }),
      "body",
      "at most 262144 bytes",
    ));

  test("when its announced length alone is too much, without reading any of it", () =>
    refused(
      () =>
        call("POST", "/api/v1/reminders", { key, body: "{}", headers: { "content-length": String(LONG) } }),
      "body",
      "at most 262144 bytes",
    ));
});

describe("an edit is refused, and the reminder stays as it was,", () => {
  const edits: [Record<string, unknown>, string, string][] = [
    [{ title: null }, "title", ONE_LINE],
    [{ title: "x".repeat(201) }, "title", ONE_LINE],
    [{ dueAt: "2026-03-01T09:00:00Z" }, "dueAt", WINDOW],
    [wall("2027-03-28T02:30", "Europe/Berlin"), "dueAt.local", "or from 2027-03-28T03:00"],
    [{ channels: ["push"] }, "channels", "any of email, sms"],
    [{ subscriber: "bob" }, "subscriber", "left out"],
    [{ status: "active" }, "status", "left out"],
  ];
  for (const [change, field, accepted] of edits) {
    test(`with ${printable(change)}: names ${field}`, async () => {
      const path = `/api/v1/reminders/${reminderId}`;
      const before = await call("GET", path, { key });
      await refused(() => call("PATCH", path, { key, body: change }), field, accepted);
      expect((await call("GET", path, { key })).body).toEqual(before.body);
    });
  }

  test.each([
    [{}, "body", "either minutes or dueAt, and not both"],
    [{ minutes: 0 }, "minutes", "a whole number of minutes from 1 to 10080"],
    [{ minutes: 10_081 }, "minutes", "a whole number of minutes from 1 to 10080"],
    [{ minutes: "10" }, "minutes", "a whole number of minutes from 1 to 10080"],
    [{ dueAt: "2026-03-01T09:00:00Z" }, "dueAt", WINDOW],
    [{ hours: 1 }, "hours", "left out"],
  ])("and so is a snooze with %j", async (body, field, accepted) => {
    const path = `/api/v1/reminders/${reminderId}`;
    const before = await call("GET", path, { key });
    await refused(() => call("POST", `${path}/snooze`, { key, body }), field, accepted);
    expect((await call("GET", path, { key })).body).toEqual(before.body);
  });
});

test.each([
  ["limit=0", "limit", "a whole number from 1 to 200"],
  ["limit=1e2", "limit", "a whole number from 1 to 200"],
  ["limit=1&limit=2", "limit", "one whole number"],
  ["status=sent", "status", "active, paused, done or cancelled"],
  ["subscriber=a%20b", "subscriber", "ASCII characters without spaces"],
  ["sort=title", "sort", "left out"],
  ["cursor=", "cursor", "the nextCursor of the page before"],
  ["cursor=%00", "cursor", "the nextCursor of the page before"],
  ["cursor=bm9uc2Vuc2U", "cursor", "the nextCursor of the page before"],
  [`cursor=${cursorOf([1e300, RENT.title])}`, "cursor", "the nextCursor of the page before"],
  [
    `cursor=${cursorOf([-1e15, "0b6cf4c1-5a2e-4f6e-9c8e-3f6f0d1c2b3a"])}`,
    "cursor",
    "the nextCursor of the page before",
  ],
  [
    `cursor=${cursorOf([1e300, "0b6cf4c1-5a2e-4f6e-9c8e-3f6f0d1c2b3a"])}`,
    "cursor",
    "the nextCursor of the page before",
  ],
  [
    `cursor=${cursorOf(["1", "0b6cf4c1-5a2e-4f6e-9c8e-3f6f0d1c2b3a"])}`,
    "cursor",
    "the nextCursor of the page before",
  ],
])("a list with ?%s is refused, naming %s", (text, field, accepted) =>
  refused(() => call("GET", `/api/v1/reminders?${text}`, { key }), field, accepted),
);

function cursorOf(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

describe("a subscriber is refused, and nothing changed,", () => {
  const device = (endpoint: string) => ({ pushSubscriptions: [{ endpoint, keys: KEYS }] });
  const cases: [Record<string, unknown>, string, string][] = [
    [{ email: "a.@example.com" }, "email", "an email address"],
    [{ email: "a..b@example.com" }, "email", "an email address"],
    [{ email: `${"x".repeat(65)}@example.com` }, "email", "an email address"],
    [{ email: "пошта@example.com" }, "email", "an email address"],
    [{ email: "a@example.com\r\nBcc: b@example.com" }, "email", "an email address"],
    [{ email: "a@example.com\u0000" }, "email", "an email address"],
    [{ email: "" }, "email", "an email address"],
    [{ phone: "911" }, "phone", "a phone number that can receive text messages"],
    [{ phone: "12345" }, "phone", "a phone number that can receive text messages"],
    [{ phone: "030 1234 5678" }, "phone", "with country code"],
    [{ phone: "+1-900-555-0100" }, "phone", "a phone number that can receive text messages"],
    [{ phone: "+12025550123;ext=4" }, "phone", "a phone number that can receive text messages"],
    [{ timeZone: "Mars/Base" }, "timeZone", ZONE],
    [{ timeZone: undefined }, "timeZone", ZONE],
    [{ locale: "de_DE" }, "locale", "a language tag"],
    [{ verified: "yes" }, "verified", "true, false, a list"],
    [{ verified: { email: "true" } }, "verified", '{"email": true, "phone": false}'],
    [{ verified: { fax: true } }, "verified", '{"email": true, "phone": false}'],
    [{ verified: [["email"]] }, "verified", 'a list of "email" and "phone"'],
    [{ verified: null }, "verified", "true, false, a list"],
    [{ externalId: "other" }, "externalId", "left out"],
    [
      { pushSubscriptions: device("https://p.example/1").pushSubscriptions[0] },
      "pushSubscriptions",
      "a list",
    ],
    [
      device("https://evil.example/s3cret"),
      "pushSubscriptions.0.endpoint",
      "an endpoint of a known push service",
    ],
    [
      device("https://fcm.googleapis.com.evil.example/s3cret"),
      "pushSubscriptions.0.endpoint",
      "a known push service",
    ],
    [
      device("https://fcm.googleapis.com:8443/s3cret"),
      "pushSubscriptions.0.endpoint",
      "a known push service",
    ],
    [device("http://169.254.169.254/s3cret"), "pushSubscriptions.0.endpoint", "a known push service"],
    [device("https://u:s3cret@fcm.googleapis.com/"), "pushSubscriptions.0.endpoint", "a link"],
    [device("file:///s3cret"), "pushSubscriptions.0.endpoint", "a link"],
  ];
  for (const [change, field, accepted] of cases) {
    test(`with ${printable(change)}: names ${field}`, async () => {
      const before = await call("GET", "/api/v1/subscribers/ada", { key });
      for (const externalId of ["ada", "new"]) {
        const put = () => putSubscriber(key, externalId, { ...ADA, ...change });
        await refused(put, field, accepted);
        expect((await put()).text, "a refusal repeats no endpoint").not.toContain("s3cret");
      }
      expect((await call("GET", "/api/v1/subscribers/ada", { key })).body).toEqual(before.body);
    });
  }

  test.each(["two words", "a\u0000", "ü", "x".repeat(201), "a\n"])("by an id such as %j", (externalId) =>
    refused(() => putSubscriber(key, externalId), "externalId", "1 to 200 ASCII characters without spaces"),
  );
});
