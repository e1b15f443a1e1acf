import { describe, expect, test } from "vitest";
import type { z } from "zod";
import {
  checkExternalId,
  checkLocale,
  createReminderBody,
  editReminderBody,
  listRemindersQuery,
  parseBody,
  putSubscriberBody,
  readQuery,
  snoozeBody,
} from "../../../db/rules/api-schemas";
import { type FieldError, printable } from "../../../db/rules/errors";

const CREATE = {
  subscriber: "shopper-1",
  title: "Pay the rent",
  dueAt: "2026-12-24T09:00:00+01:00",
  channels: ["email", "sms"],
};
const PUT = { timeZone: "Europe/Berlin" };
const KEYS = { p256dh: `BA${"x".repeat(85)}`, auth: "y".repeat(22) };

function accepted<T>(schema: z.ZodType<T>, body: unknown): T {
  const result = parseBody(schema, body);
  if (!result.ok) throw new Error(JSON.stringify(result.problem));
  return result.value;
}

function errors(schema: z.ZodType, body: unknown): FieldError[] {
  const result = parseBody(schema, body);
  if (result.ok || result.problem.code !== "invalid_input") throw new Error("expected invalid_input");
  return result.problem.fields;
}

function fields(schema: z.ZodType, body: unknown): string[] {
  return errors(schema, body).map((error) => error.field);
}

describe("a new reminder", () => {
  test("gets its defaults", () => {
    expect(accepted(createReminderBody, CREATE)).toEqual({
      ...CREATE,
      note: null,
      url: null,
      expiresAfterSeconds: 86_400,
      repeat: null,
      floating: false,
      throughQuietHours: false,
      nextChannelAfterMinutes: null,
      checkUrl: null,
    });
  });

  test("is normalised", () => {
    const body = {
      ...CREATE,
      title: " Pay \u202erent ",
      note: "a\r\nb",
      url: "https://EXAMPLE.com",
      dueAt: { local: "2026-12-24T09:00", timeZone: "Europe/Berlin" },
      expiresAfterSeconds: 60,
    };
    expect(accepted(createReminderBody, body)).toMatchObject({
      title: "Pay rent",
      note: "a\nb",
      url: "https://example.com/",
      dueAt: { local: "2026-12-24T09:00", timeZone: "Europe/Berlin" },
      expiresAfterSeconds: 60,
    });
    expect(accepted(createReminderBody, { ...CREATE, note: null, url: null })).toMatchObject({
      note: null,
      url: null,
    });
    expect(accepted(createReminderBody, { ...CREATE, note: "  " }).note).toBeNull();
  });

  const wrong: [Record<string, unknown>, string, string][] = [
    [{ title: "a\u0000b" }, "title", "one line of text of 1 to 200 characters"],
    [{ title: "ab\ud83d" }, "title", "one line of text of 1 to 200 characters"],
    [{ title: "Sale\r\nBcc: b@example.com" }, "title", "one line of text of 1 to 200 characters"],
    [{ title: "\u200b\u200b" }, "title", "one line of text of 1 to 200 characters"],
    [{ title: "x".repeat(2000) }, "title", "one line of text of 1 to 200 characters"],
    [{ title: 7 }, "title", "one line of text of 1 to 200 characters"],
    [{ title: undefined }, "title", "one line of text of 1 to 200 characters"],
    [{ note: "a\u0000b" }, "note", "text of at most 2000 characters"],
    [{ url: "javascript:alert(1)" }, "url", "a link that starts with https://"],
    [{ dueAt: "2026-12-24" }, "dueAt", "a date and time with an offset"],
    [{ dueAt: "2026-02-30T10:00:00Z" }, "dueAt", "a date that exists"],
    [{ dueAt: 1_798_102_800 }, "dueAt", "a date and time with an offset"],
    [{ dueAt: null }, "dueAt", "a date and time with an offset"],
    [{ dueAt: undefined }, "dueAt", "a date and time with an offset"],
    [
      { dueAt: { local: "2026-12-24T09:00", timeZone: "Mars/Base" } },
      "dueAt.timeZone",
      "an IANA time zone name",
    ],
    [
      { dueAt: { local: "2027-03-14T02:30", timeZone: "America/New_York" } },
      "dueAt.local",
      "2027-03-14T03:00",
    ],
    [{ dueAt: { local: "2026-12-24T09:00", timeZone: "UTC", fold: 1 } }, "dueAt.fold", "left out"],
    [{ channels: [] }, "channels", "a list of one or more of email, sms and push"],
    [{ channels: ["email", "email"] }, "channels", "each once"],
    [{ channels: ["email", "fax"] }, "channels.1", "email, sms or push"],
    [{ channels: "email" }, "channels", "a list of one or more of email, sms and push"],
    [{ expiresAfterSeconds: 59 }, "expiresAfterSeconds", "a whole number of seconds from 60 to 604800"],
    [{ expiresAfterSeconds: 604_801 }, "expiresAfterSeconds", "a whole number of seconds from 60 to 604800"],
    [{ expiresAfterSeconds: 60.5 }, "expiresAfterSeconds", "a whole number of seconds from 60 to 604800"],
    [{ expiresAfterSeconds: "60" }, "expiresAfterSeconds", "a whole number of seconds from 60 to 604800"],
    [{ subscriber: "two words" }, "subscriber", "1 to 200 ASCII characters without spaces"],
    [{ subscriber: undefined }, "subscriber", "the shop's id of the subscriber"],
    [{ userId: "somebody" }, "userId", "left out"],
  ];
  for (const [change, field, acceptedText] of wrong) {
    test(`with ${printable(change)} is refused, naming ${field}, what was given and what is accepted`, () => {
      const found = errors(createReminderBody, { ...CREATE, ...change });
      expect(found.map((error) => error.field)).toEqual([field]);
      expect(found[0]?.accepted).toContain(acceptedText);
      expect(found[0]?.message).toContain(field);
    });
  }

  test("may repeat, by a rule in its one spelling; any other shape is refused", () => {
    const body = accepted(createReminderBody, { ...CREATE, repeat: "freq=weekly;byday=we,mo" });
    expect(body.repeat).toBe("FREQ=WEEKLY;BYDAY=MO,WE");
    const [error] = errors(createReminderBody, { ...CREATE, repeat: { every: "day" } });
    expect(error).toMatchObject({ field: "repeat", given: '{"every":"day"}' });
  });
});

describe("an edit", () => {
  test("leaves what is absent and removes what is null or blank", () => {
    expect(accepted(editReminderBody, {})).toEqual({});
    expect(accepted(editReminderBody, { note: null, url: null })).toEqual({ note: null, url: null });
    expect(accepted(editReminderBody, { note: " ", title: "New" })).toEqual({ note: null, title: "New" });
    expect(accepted(editReminderBody, { channels: ["push"] })).toEqual({ channels: ["push"] });
  });

  test("cannot remove the title, change the owner or set a wrong time", () => {
    expect(fields(editReminderBody, { title: null })).toEqual(["title"]);
    expect(fields(editReminderBody, { title: " " })).toEqual(["title"]);
    expect(fields(editReminderBody, { subscriber: "somebody" })).toEqual(["subscriber"]);
    expect(fields(editReminderBody, { dueAt: "tomorrow" })).toEqual(["dueAt"]);
    expect(fields(editReminderBody, { repeat: "sometimes" })).toEqual(["repeat"]);
  });
});

describe("a snooze", () => {
  test.each([{ minutes: 1 }, { minutes: 10_080 }, { dueAt: "2026-12-24T09:00:00Z" }])(
    "%j is accepted",
    (body) => {
      expect(accepted(snoozeBody, body)).toEqual(body);
    },
  );

  test.each([
    [{ minutes: 0 }, "minutes", "a whole number of minutes from 1 to 10080"],
    [{ minutes: 10_081 }, "minutes", "a whole number of minutes from 1 to 10080"],
    [{ minutes: 1.5 }, "minutes", "a whole number of minutes from 1 to 10080"],
    [{ minutes: "10" }, "minutes", "a whole number of minutes from 1 to 10080"],
    [{ dueAt: "2026-12-24" }, "dueAt", "a date and time with an offset"],
    [{}, "body", "either minutes or dueAt, and not both"],
    [{ minutes: 5, dueAt: "2026-12-24T09:00:00Z" }, "body", "either minutes or dueAt, and not both"],
    [{ hours: 1 }, "hours", "left out"],
  ])("%j is refused, naming %s", (body, field, acceptedText) => {
    const [error] = errors(snoozeBody, body);
    expect(error?.field).toBe(field);
    expect(error?.accepted).toContain(acceptedText);
  });
});

describe("a list query", () => {
  const query = (text: string) => readQuery(new URLSearchParams(text));

  test("has a default page and reads its parameters", () => {
    expect(accepted(listRemindersQuery, query(""))).toEqual({ limit: 50 });
    expect(
      accepted(listRemindersQuery, query("subscriber=s1&status=active&cursor=abc_-1&limit=200")),
    ).toEqual({
      subscriber: "s1",
      status: "active",
      cursor: "abc_-1",
      limit: 200,
    });
  });

  test.each([
    ["limit=0", "limit"],
    ["limit=201", "limit"],
    ["limit=-1", "limit"],
    ["limit=1e2", "limit"],
    ["limit=", "limit"],
    ["limit=1&limit=2", "limit"],
    ["status=sent", "status"],
    ["cursor=a%00", "cursor"],
    ["subscriber=a%20b", "subscriber"],
    ["sort=title", "sort"],
    ["__proto__=1", "__proto__"],
  ])("%s is refused, naming %s", (text, field) => {
    expect(fields(listRemindersQuery, query(text))).toEqual([field]);
  });
});

describe("a subscriber", () => {
  test("is normalised, and what is absent stays absent", () => {
    expect(accepted(putSubscriberBody, PUT)).toEqual(PUT);
    const body = {
      email: " A@Example.com ",
      phone: "030 1234 5678",
      country: "DE",
      timeZone: "europe/kyiv",
      locale: "de-at",
      verified: true,
      pushSubscriptions: [{ endpoint: "https://push.example/abc", expirationTime: null, keys: KEYS }],
    };
    expect(accepted(putSubscriberBody, body)).toEqual({
      email: "A@example.com",
      phone: "+493012345678",
      country: "DE",
      timeZone: "Europe/Kyiv",
      locale: "de-AT",
      verified: ["email", "phone"],
      pushSubscriptions: [{ endpoint: "https://push.example/abc", expirationTime: null, keys: KEYS }],
    });
    expect(body.phone).toBe("030 1234 5678");
    expect(accepted(putSubscriberBody, { ...PUT, email: null, phone: null })).toMatchObject({
      email: null,
      phone: null,
    });
  });

  test.each([
    [true, ["email", "phone"]],
    [false, []],
    [["phone"], ["phone"]],
    [[], []],
    [{ email: true, phone: true }, ["email", "phone"]],
    [{ email: false, phone: true }, ["phone"]],
    [{}, []],
  ])("verified %j vouches for %j", (verified, vouched) => {
    expect(accepted(putSubscriberBody, { ...PUT, verified }).verified).toEqual(vouched);
  });

  test.each([
    [{ email: "a..b@example.com" }, "email"],
    [{ email: "a@example.com\r\nBcc: b@example.com" }, "email"],
    [{ phone: "+1-900-555-0100" }, "phone"],
    [{ phone: "030 1234 5678" }, "phone"],
    [{ phone: 49 }, "phone"],
    [{ country: "Germany" }, "country"],
    [{ timeZone: "Mars/Base" }, "timeZone"],
    [{ timeZone: "+05:45" }, "timeZone"],
    [{ timeZone: undefined }, "timeZone"],
    [{ locale: "not a locale" }, "locale"],
    [{ locale: "de_DE" }, "locale"],
    [{ verified: "yes" }, "verified"],
    [{ verified: ["fax"] }, "verified"],
    [{ verified: { fax: true } }, "verified"],
    [{ verified: { email: 1 } }, "verified"],
    [{ verified: null }, "verified"],
    [{ externalId: "x" }, "externalId"],
    [
      { pushSubscriptions: [{ endpoint: "javascript:alert(1)", keys: KEYS }] },
      "pushSubscriptions.0.endpoint",
    ],
    [
      { pushSubscriptions: [{ endpoint: "https://p.example", keys: { ...KEYS, auth: "x" } }] },
      "pushSubscriptions.0.keys.auth",
    ],
    [
      { pushSubscriptions: Array(21).fill({ endpoint: "https://p.example", keys: KEYS }) },
      "pushSubscriptions",
    ],
  ])("with %j is refused, naming %s", (change, field) => {
    expect(fields(putSubscriberBody, { ...PUT, ...change })).toEqual([field]);
  });

  test("with a wrong phone number among other mistakes names all of them", () => {
    const body = { phone: "911", email: "a", timeZone: "Mars/Base", nickname: "x" };
    expect(fields(putSubscriberBody, body).sort()).toEqual(["email", "nickname", "phone", "timeZone"]);
  });

  test("never sees a push key or endpoint repeated in an error", () => {
    const secret = "s3cret".repeat(3);
    const endpoint = `https://p.example/${secret}`;
    const wrong: unknown[] = [
      [{ endpoint: "https://p.example", keys: { ...KEYS, auth: secret } }],
      [{ endpoint: `javascript:${secret}`, keys: KEYS }],
      [{ endpoint, keys: secret }],
      [{ endpoint: [endpoint], keys: KEYS }],
      [{ endpoint: "https://p.example", keys: { ...KEYS, extra: secret } }],
      { endpoint, keys: KEYS },
      endpoint,
    ];
    for (const pushSubscriptions of wrong) {
      const found = errors(putSubscriberBody, { ...PUT, pushSubscriptions });
      expect(found.length).toBeGreaterThan(0);
      expect(JSON.stringify(found)).not.toContain(secret);
    }
  });
});

test("external ids and locales are checked on their own too", () => {
  expect(checkExternalId("externalId", "cust:42@shop")).toEqual({ ok: true, value: "cust:42@shop" });
  expect(checkExternalId("externalId", "a\u0000").ok).toBe(false);
  expect(checkExternalId("externalId", "x".repeat(201)).ok).toBe(false);
  expect(checkLocale("locale", "EN-us")).toEqual({ ok: true, value: "en-US" });
});
