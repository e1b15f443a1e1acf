import { expect, test } from "vitest";
import { nextPath } from "../../../app/_auth/next-path";
import { underCurrentSecret } from "../../../app/_auth/session-cookie";
import { deviceName } from "../../../app/_devices/device-name";
import { readDeadFilter, readLetters } from "../../../app/_ops/dead-filter";
import { readWhen } from "../../../app/_reminders/due-input";
import { prefillOf } from "../../../app/_reminders/prefill";
import { readReminderForm } from "../../../app/_reminders/read-form";
import { fieldsOfRepeat, readRepeat } from "../../../app/_reminders/repeat-input";
import { readAftership } from "../../../db/rules/aftership";
import {
  checkExternalId,
  checkLocale,
  createReminderBody,
  parseBody,
  putSubscriberBody,
} from "../../../db/rules/api-schemas";
import { checkDueAtForm } from "../../../db/rules/due-time";
import { checkEmailAddress } from "../../../db/rules/email-address";
import { inboundWish } from "../../../db/rules/inbound-text";
import { checkDate, checkInstant } from "../../../db/rules/instant";
import { ENGLISH, languageAccepted, languageOf } from "../../../db/rules/languages";
import { messageLocale } from "../../../db/rules/message-locale";
import { noticeBody } from "../../../db/rules/notice-schemas";
import { checkPhone } from "../../../db/rules/phone";
import { pushHost } from "../../../db/rules/push-endpoint";
import { checkClockTime } from "../../../db/rules/quiet-hours";
import { visitorOf } from "../../../db/rules/rate-limit";
import { readRecurrence } from "../../../db/rules/recurrence-parts";
import { parseHttpDate, parseRetryAfter } from "../../../db/rules/retry-after";
import { checkShipmentId, eventsSchema, followBody } from "../../../db/rules/shipment-schemas";
import { checkText, checkUrl, cleanProviderText } from "../../../db/rules/text";
import { checkTimeZone } from "../../../db/rules/time-zone";
import { readTypedWhen } from "../../../db/rules/typed-when";
import { readLinkToken, readParcelToken } from "../../../inngest/messages/links";
import { cleanCode, cleanDetail, cleanHeader } from "../../../inngest/providers/clean-detail";
import { readResendWebhook } from "../../../inngest/providers/resend-webhook";
import { readTwilioCallback } from "../../../inngest/providers/twilio-webhook";
import { RUNS } from "./inputs";

/** As much as fits into the largest body that a caller may send. */
const CHARACTERS = 200_000;

/** Node takes no more of all headers and the address together. */
const HEADER_CHARACTERS = 16_000;

/** CPU of this process for one text. What looks at each place of a run from each other one takes minutes. */
const CPU_MS_MAX = 400;

const NOW_MS = Date.UTC(2026, 10, 30, 12);
const ONE_LINE = { maxLength: 200, required: true, multiline: false };
const MANY_LINES = { maxLength: 2000, required: false, multiline: true };

/** A form whose every field is this. */
function formOf(text: string): FormData {
  const form = new FormData();
  for (const name of [
    "title",
    "note",
    "url",
    "typed",
    "date",
    "time",
    "timeZone",
    "repeat",
    "until",
    "count",
  ])
    form.set(name, text);
  return form;
}

/** What reads the text of a body, of a form or of a page's address. */
const OF_BODIES: Record<string, (text: string) => unknown> = {
  nextPath,
  readDeadFilter: (text) => readDeadFilter({ partition: text, from: text }),
  readLetters,
  readWhen: (text) => readWhen({ choice: "custom", date: text, time: text, timeZone: text }, NOW_MS, ENGLISH),
  prefillOf: (text) => prefillOf({ title: text, url: text, note: text, when: text, repeat: text }, "UTC"),
  readReminderForm: (text) => readReminderForm(formOf(text), NOW_MS, ENGLISH),
  readRepeat: (text) => readRepeat(fieldsOfRepeat(text), ENGLISH.words.repeat),
  readAftership: (text) =>
    readAftership(
      { event: "tracking_update", event_id: text, ts: 1e9, msg: { tracking_number: text, tag: text } },
      NOW_MS,
    ),
  checkExternalId: (text) => checkExternalId("f", text),
  checkLocale: (text) => checkLocale("f", text),
  createReminderBody: (text) =>
    parseBody(createReminderBody, {
      ...{ subscriber: text, title: text, note: text, url: text, checkUrl: text, dueAt: text, repeat: text },
      channels: [text],
    }),
  putSubscriberBody: (text) =>
    parseBody(putSubscriberBody, { email: text, phone: text, timeZone: text, locale: text, country: text }),
  noticeBody: (text) => parseBody(noticeBody, { subscriber: text, detail: text, url: text, template: text }),
  followBody: (text) => parseBody(followBody, { channels: [text], milestones: [text], policy: text }),
  eventsSchema: (text) => {
    const body = {
      eventId: text,
      shipment: text,
      order: text,
      status: text,
      occurredAt: text,
      url: text,
      detail: text,
    };
    return parseBody(eventsSchema(body), body);
  },
  checkDueAtForm: (text) => checkDueAtForm("f", { local: text, timeZone: text }),
  checkEmailAddress: (text) => checkEmailAddress("f", text),
  checkInstant: (text) => checkInstant("f", text),
  checkDate: (text) => checkDate("f", text),
  checkPhone: (text) => checkPhone("f", text),
  checkClockTime: (text) => checkClockTime("f", text),
  checkShipmentId: (text) => checkShipmentId("f", text),
  checkTimeZone: (text) => checkTimeZone("f", text),
  checkUrl: (text) => checkUrl("f", text),
  "one line": (text) => checkText("f", text, ONE_LINE),
  "many lines": (text) => checkText("f", text, MANY_LINES),
  inboundWish: (text) => inboundWish(text, null),
  readRecurrence,
  readTypedWhen: (text) => readTypedWhen(text, NOW_MS, "UTC"),
  pushHost,
  readLinkToken,
  readParcelToken,
  messageLocale,
  languageOf,
  cleanProviderText: (text) => cleanProviderText(text, 300),
  cleanDetail,
  cleanCode,
  readTwilioCallback: (text) =>
    readTwilioCallback(text, { url: "https://x.example/", signature: text }, ["token"]),
};

/** What reads a header. */
const OF_HEADERS: Record<string, (text: string) => unknown> = {
  parseRetryAfter: (text) => parseRetryAfter(text, NOW_MS),
  parseHttpDate: (text) => parseHttpDate(text, NOW_MS),
  cleanHeader,
  languageAccepted,
  "Accept-Language with many tags": (text) => languageAccepted(text.replaceAll("a", "en-GB;q=0.1,")),
  deviceName,
  visitorOf: (text) => visitorOf(text, 1),
  underCurrentSecret: (text) =>
    underCurrentSecret(new Headers({ cookie: text.replace(/[^\x20-\x7e]/g, "?") })),
  readResendWebhook: (text) => {
    const safe = text.replace(/[^\x20-\x7e]/g, "?").trim() || "x";
    const headers = new Headers({ "svix-id": safe, "svix-timestamp": "1", "svix-signature": safe });
    return readResendWebhook("{}", headers, ["whsec_AAAA"]);
  },
};

function slowRuns(read: (text: string) => unknown, characters: number): string[] {
  const slow: string[] = [];
  for (const run of RUNS) {
    for (const [before, after] of [
      ["a", "!"],
      ["", "\0"],
      ["https://x.example/", "@"],
    ] as const) {
      const length = characters - before.length - after.length;
      const text = `${before}${run.repeat(length / run.length)}${after}`;
      const began = process.cpuUsage();
      read(text);
      const { user, system } = process.cpuUsage(began);
      if ((user + system) / 1000 > CPU_MS_MAX)
        slow.push(`${JSON.stringify(run)} between ${before} and ${after}`);
    }
    // One is enough, and the others take as long.
    if (slow.length > 0) return slow;
  }
  return slow;
}

test.each(Object.entries(OF_BODIES))(
  "%s reads the longest text in no time, whatever it repeats",
  (_name, read) => {
    // A tenth first: what is slow there would not end with all of it.
    expect(slowRuns(read, CHARACTERS / 10)).toEqual([]);
    expect(slowRuns(read, CHARACTERS)).toEqual([]);
  },
);

test.each(Object.entries(OF_HEADERS))("%s reads the longest header in no time", (_name, read) => {
  expect(slowRuns(read, HEADER_CHARACTERS)).toEqual([]);
});
