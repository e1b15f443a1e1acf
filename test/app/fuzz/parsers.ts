import { nextPath } from "../../../app/_auth/next-path";
import { underCurrentSecret } from "../../../app/_auth/session-cookie";
import { deviceName } from "../../../app/_devices/device-name";
import { readDeadFilter, readLetters } from "../../../app/_ops/dead-filter";
import { readWhen } from "../../../app/_reminders/due-input";
import { prefillOf, prefillPath } from "../../../app/_reminders/prefill";
import { fieldsOfRepeat, readRepeat } from "../../../app/_reminders/repeat-input";
import { readAftership } from "../../../db/rules/aftership";
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
import { checkDueAtForm, resolveDueAt } from "../../../db/rules/due-time";
import { checkEmailAddress } from "../../../db/rules/email-address";
import { inboundWish } from "../../../db/rules/inbound-text";
import { checkDate, checkInstant } from "../../../db/rules/instant";
import { ENGLISH, languageAccepted, languageOf } from "../../../db/rules/languages";
import { noticeBody } from "../../../db/rules/notice-schemas";
import { checkPhone } from "../../../db/rules/phone";
import { pushHost } from "../../../db/rules/push-endpoint";
import { checkClockTime } from "../../../db/rules/quiet-hours";
import { visitorOf } from "../../../db/rules/rate-limit";
import { resendMeaning, twilioMeaning } from "../../../db/rules/receipt";
import { seriesAfter } from "../../../db/rules/recurrence";
import { readRecurrence } from "../../../db/rules/recurrence-parts";
import { tellRecurrence } from "../../../db/rules/recurrence-words";
import { parseHttpDate, parseRetryAfter, RETRY_AFTER_MS_MAX } from "../../../db/rules/retry-after";
import { checkShipmentId, eventsSchema, followBody } from "../../../db/rules/shipment-schemas";
import { countSmsSegments } from "../../../db/rules/sms-segments";
import { checkUrl, cleanProviderText } from "../../../db/rules/text";
import { checkTimeZone } from "../../../db/rules/time-zone";
import { readTypedWhen } from "../../../db/rules/typed-when";
import { readLinkToken } from "../../../inngest/messages/links";
import { classifyResend, resendRatePerSecond } from "../../../inngest/providers/classify-resend";
import { classifyTwilio, classifyTwilioCallback } from "../../../inngest/providers/classify-twilio";
import { classifyWebPush } from "../../../inngest/providers/classify-web-push";
import { cleanCode, cleanDetail, cleanHeader } from "../../../inngest/providers/clean-detail";
import type { WireAnswer } from "../../../inngest/providers/exchange";
import type { Dice } from "../../simulation/dice";
import { anything, headerValue, mutated, spliced, text } from "./inputs";
import { queryFor } from "./requests";
import { TEMPLATES } from "./templates";

const NOW_MS = Date.UTC(2026, 10, 30, 12);

/** Takes one input; throws, or returns what is wrong with what came of it. */
export type Parser = (dice: Dice) => unknown;

/** Something near what the parser is made for, or anything. */
const near = (dice: Dice, ...good: string[]) =>
  dice.chance(0.6) ? spliced(dice, dice.pick(good)) : text(dice);

const DATES = [
  "Sun, 06 Nov 1994 08:49:37 GMT",
  "Sunday, 06-Nov-94 08:49:37 GMT",
  "Sun Nov  6 08:49:37 1994",
  "Mon, 30 Nov 2026 12:02:00 GMT",
];
const INSTANTS = ["2026-12-24T09:00:00+01:00", "2026-12-24T09:00", "2026-03-29T02:30:00Z"];
const RULES = ["FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR;COUNT=10", "FREQ=MONTHLY;UNTIL=20271231"];
const TYPED = ["next tue 3pm", "every 2 weeks on friday until 31 dec", "in 10 minutes", "24 dec 9:00"];

function retryAfter(dice: Dice): string | null {
  const raw = dice.chance(0.1) ? null : near(dice, ...DATES, "120", "5, 7");
  const ms = parseRetryAfter(raw, dice.chance(0.2) ? null : dice.pick([NOW_MS, Number.NaN, 0, -1, 9e15]));
  const sound = ms === null || (ms >= 0 && ms <= RETRY_AFTER_MS_MAX);
  return sound ? null : `${raw} came to ${ms}`;
}

function httpDate(dice: Dice): string | null {
  const ms = parseHttpDate(near(dice, ...DATES), NOW_MS);
  return ms === null || Number.isSafeInteger(ms) ? null : `came to ${ms}`;
}

function typedWhen(dice: Dice): string | null {
  const read = readTypedWhen(
    near(dice, ...TYPED),
    NOW_MS,
    dice.pick(["Europe/Berlin", "UTC", "Asia/Kathmandu"]),
  );
  if (!read.ok) return null;
  const sound = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/.test(read.local);
  if (!sound) return `came to ${read.local}`;
  return read.repeat === null || readRecurrence(read.repeat) !== null ? null : `came to ${read.repeat}`;
}

function series(dice: Dice): string | null {
  const recurrence = near(dice, ...RULES);
  const found = seriesAfter({ recurrence, start: "2026-11-30T09:00:00", after: null, limit: 3 });
  tellRecurrence(recurrence, ENGLISH);
  readRepeat(fieldsOfRepeat(recurrence), ENGLISH.words.repeat);
  return found.length > 3 ? "more than were asked for" : null;
}

function path(dice: Dice): string | null {
  const found = nextPath(dice.chance(0.9) ? near(dice, "/reminders?x=1", "/./x", "/\\x") : anything(dice));
  const url = new URL(found, "http://here.example");
  return url.host === "here.example" && found.startsWith("/") ? null : `led to ${found}`;
}

function host(dice: Dice): string | null {
  const endpoint = near(
    dice,
    "https://fcm.googleapis.com/fcm/send/x",
    "https://updates.push.services.mozilla.com/wpush/v2/x",
    "https://wns2-par02p.notify.windows.com/w/?token=x",
    "https://web.push.apple.com/Q",
  );
  const found = pushHost(endpoint);
  const known = /(^|\.)(googleapis|google|mozilla|apple|windows)\.com$/;
  return found === null || known.test(new URL(endpoint).hostname) ? null : `took ${endpoint}`;
}

function answerOf(dice: Dice): WireAnswer {
  const bodies = [
    `{"statusCode":429,"name":"rate_limit_exceeded","message":"x"}`,
    `{"code":21610,"message":"x","status":400}`,
    `{"id":"e-1"}`,
    `{"reason":"BadJwtToken"}`,
  ];
  const names = ["retry-after", "ratelimit-reset", "ratelimit-limit", "date", "location", "x-wns-status"];
  return {
    status: dice.pick([200, 201, 204, 301, 400, 401, 403, 404, 406, 408, 409, 410, 413, 422, 429, 500, 503]),
    headers: Object.fromEntries(names.map((name) => [name, headerValue(dice)])),
    body: dice.chance(0.1)
      ? null
      : dice.chance(0.5)
        ? near(dice, ...bodies)
        : (JSON.stringify(anything(dice)) ?? ""),
  };
}

function classified(dice: Dice): null {
  const answer = answerOf(dice);
  classifyResend(answer);
  resendRatePerSecond(answer);
  classifyTwilio(answer);
  classifyTwilioCallback(text(dice), text(dice));
  classifyWebPush(answer, dice.pick(["fcm.googleapis.com", "wns2.notify.windows.com", "x"]));
  resendMeaning(text(dice), text(dice));
  twilioMeaning(text(dice), text(dice));
  return null;
}

function cleaned(dice: Dice): string | null {
  const words = near(dice, "Invalid 'To': +12025550123 ada@shopper.example https://x.example/a?b");
  const said = [
    cleanDetail(words),
    cleanHeader(words),
    cleanCode(words),
    cleanProviderText(words, 100),
  ].join();
  return said.includes("\0") || !said.isWellFormed() ? `left ${JSON.stringify(said)}` : null;
}

const BODIES = [createReminderBody, editReminderBody, snoozeBody, putSubscriberBody, noticeBody, followBody];
const BODY = {
  title: "x",
  dueAt: INSTANTS[0],
  channels: ["email"],
  minutes: 5,
  repeat: RULES[0],
  email: "a@b.de",
};

/** Everything that reads what comes from outside, and everything that renders it. */
export const PARSERS: Record<string, Parser> = {
  "Retry-After": retryAfter,
  "HTTP-date": httpDate,
  "typed time": typedWhen,
  recurrence: series,
  "path after sign-in": path,
  "push endpoint": host,
  "provider answer": classified,
  "provider words": cleaned,
  instant: (dice) =>
    void [checkInstant("at", near(dice, ...INSTANTS)), checkDate("on", near(dice, "2026-12-24"))],
  "due time": (dice) => {
    const given = dice.chance(0.5)
      ? near(dice, ...INSTANTS)
      : mutated(dice, { local: INSTANTS[1], timeZone: "UTC" });
    const form = checkDueAtForm("dueAt", given);
    if (form.ok) resolveDueAt(form.value, { nowMs: NOW_MS });
  },
  "form time": (dice) => {
    const input = { choice: near(dice, "custom"), date: near(dice, "2026-12-24"), time: near(dice, "09:00") };
    readWhen({ ...input, timeZone: near(dice, "Europe/Berlin") }, NOW_MS, ENGLISH);
  },
  names: (dice) => {
    for (const check of [
      checkTimeZone,
      checkPhone,
      checkEmailAddress,
      checkExternalId,
      checkLocale,
      checkUrl,
    ])
      check(
        "value",
        dice.chance(0.9) ? near(dice, "Europe/Berlin", "+12025550123", "a@b.de") : anything(dice),
      );
    checkShipmentId("id", text(dice));
    checkClockTime("from", near(dice, "09:00"));
  },
  bodies: (dice) => {
    const body = dice.chance(0.8) ? mutated(dice, BODY) : anything(dice);
    const result = parseBody(dice.pick<(typeof BODIES)[number]>(BODIES) as never, body);
    parseBody(eventsSchema(body), body);
    readAftership(mutated(dice, { event: "tracking_update", event_id: "1", ts: 1e9, msg: BODY }), NOW_MS);
    return JSON.stringify(result) === undefined ? "cannot be told" : null;
  },
  query: (dice) => {
    const query = queryFor(dice);
    const parameters = new URLSearchParams(
      Object.entries(query).map(([name, value]) => [name, String(value)]),
    );
    parseBody(listRemindersQuery, readQuery(parameters));
    prefillOf(query, "Europe/Berlin");
    const path = prefillPath(query);
    readDeadFilter(query);
    readLetters(text(dice));
    return path.startsWith("/reminders/new") ? null : path;
  },
  headers: (dice) => {
    languageAccepted(headerValue(dice));
    languageOf(text(dice));
    deviceName(headerValue(dice));
    visitorOf(headerValue(dice), dice.int(1, 3));
    underCurrentSecret(new Headers({ cookie: `punctual.session_token=${headerValue(dice)}` }));
  },
  "reply and token": (dice) => {
    inboundWish(near(dice, "STOP", "please stop texting me"), dice.chance(0.5) ? null : text(dice));
    countSmsSegments(text(dice));
    const id = readLinkToken(near(dice, "AAAAAAAAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA"));
    return id === null ? null : `took a forged token for ${id}`;
  },
  ...TEMPLATES,
};
