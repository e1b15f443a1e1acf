import { type Answer, json } from "./answer";
import type { StoredSms } from "./twilio";
import { twilioError } from "./twilio-errors";

/** A validated send request. */
export type SmsRequest = {
  to: string;
  from: string | null;
  messagingServiceSid: string | null;
  body: string;
  statusCallback: string | null;
  validitySeconds: number;
};

/** Twilio's magic numbers (https://www.twilio.com/docs/iam/test-credentials) and the code each one answers with. */
const MAGIC_FROM: Record<string, number> = {
  "+15005550001": 21212,
  "+15005550007": 21606,
  "+15005550008": 21611,
};
const MAGIC_TO: Record<string, number> = {
  "+15005550001": 21211,
  "+15005550002": 21612,
  "+15005550003": 21408,
  "+15005550004": 21610,
  "+15005550009": 21614,
};

const E164 = /^\+[1-9]\d{1,14}$/;
/** A number, a short code, or an alphanumeric sender of at most 11 characters with a letter in it. */
const SENDER = /^(\+[1-9]\d{1,14}|\d{3,8}|(?=.*[A-Za-z])[A-Za-z0-9 ]{1,11})$/;
/** Characters of one text (error 21617), and seconds a text may wait (ValidityPeriod). */
const LONGEST_BODY = 1600;
const LONGEST_VALIDITY_SECONDS = 36_000;
/** Characters of a StatusCallback (error 21609). */
const LONGEST_CALLBACK = 4000;
/** Entries of one list page: what Twilio gives unasked, and at most. */
const PAGE_SIZE = 50;
const LARGEST_PAGE = 1000;

/** Our delivery id, which the sender hides in the callback's query because Twilio has no field for it. */
export function deliveryIdOf(statusCallback: string | null): string | null {
  return statusCallback === null ? null : (parseUrl(statusCallback)?.searchParams.get("d") ?? null);
}

/** Checks a send request as Twilio does: who, from whom, what, and how to report back. */
export function readSms(form: URLSearchParams): { sms: SmsRequest } | { refusal: Answer } {
  const refuse = (code: number) => ({ refusal: twilioError(code) });
  const to = form.get("To") ?? "";
  const from = form.get("From");
  const messagingServiceSid = form.get("MessagingServiceSid");
  const body = form.get("Body") ?? "";
  const statusCallback = form.get("StatusCallback");
  const validity = form.get("ValidityPeriod");
  if (to === "") return refuse(21604);
  if (!from && !messagingServiceSid) return refuse(21603);
  if (from && MAGIC_FROM[from]) return refuse(MAGIC_FROM[from]);
  if (from && !SENDER.test(from)) return refuse(21212);
  if (messagingServiceSid && !messagingServiceSid.startsWith("MG")) return refuse(21705);
  if (MAGIC_TO[to]) return refuse(MAGIC_TO[to]);
  if (!E164.test(to)) return refuse(21211);
  if (body === "" && !form.get("ContentSid") && !form.get("MediaUrl")) return refuse(21602);
  if (body.length > LONGEST_BODY) return refuse(21617);
  if (statusCallback !== null && !isCallback(statusCallback)) return refuse(21609);
  const validitySeconds = validity === null ? LONGEST_VALIDITY_SECONDS : Number(validity);
  const validityFits = Number.isInteger(validitySeconds) && validitySeconds >= 1;
  if (!validityFits || validitySeconds > LONGEST_VALIDITY_SECONDS) return refuse(21624);
  return { sms: { to, from, messagingServiceSid, body, statusCallback, validitySeconds } };
}

/** One page of the message list, newest first, filtered by To, From and DateSent. */
export function listPage(
  texts: StoredSms[],
  query: URLSearchParams,
  accountSid: string,
  describe: (text: StoredSms) => unknown,
): Answer {
  const found = texts.filter((text) => matches(text, query));
  const pageSize = Math.min(LARGEST_PAGE, Math.max(1, Number(query.get("PageSize")) || PAGE_SIZE));
  const page = Math.max(0, Number(query.get("Page")) || 0);
  const start = page * pageSize;
  const entries = found.slice(start, start + pageSize);
  const path = `/2010-04-01/Accounts/${accountSid}/Messages.json`;
  const pageUri = (number: number) => {
    const next = new URLSearchParams(query);
    next.set("PageSize", String(pageSize));
    next.set("Page", String(number));
    if (number === 0) next.delete("PageToken");
    else next.set("PageToken", `PA${found[number * pageSize - 1]?.sid ?? ""}`);
    return `${path}?${next}`;
  };
  const hasNext = start + pageSize < found.length;
  return json(200, {
    messages: entries.map(describe),
    page,
    page_size: pageSize,
    start,
    end: start + Math.max(0, entries.length - 1),
    uri: pageUri(page),
    first_page_uri: pageUri(0),
    next_page_uri: hasNext ? pageUri(page + 1) : null,
    previous_page_uri: page > 0 ? pageUri(page - 1) : null,
  });
}

function matches(text: StoredSms, query: URLSearchParams): boolean {
  const to = query.get("To");
  const from = query.get("From");
  if (to !== null && text.to !== to) return false;
  if (from !== null && text.from !== from) return false;
  // A text that has not been sent yet has no DateSent and so matches no date filter.
  const on = query.get("DateSent");
  const since = query.get("DateSent>");
  const until = query.get("DateSent<");
  if (on === null && since === null && until === null) return true;
  if (text.sentAtMs === null) return false;
  const sentOn = new Date(text.sentAtMs).toISOString().slice(0, 10);
  if (on !== null && sentOn !== on.slice(0, 10)) return false;
  if (since !== null && text.sentAtMs < Date.parse(since)) return false;
  if (until === null) return true;
  // A bare date means all of that day.
  return /^\d{4}-\d\d-\d\d$/.test(until) ? sentOn <= until : text.sentAtMs <= Date.parse(until);
}

function isCallback(text: string): boolean {
  const url = parseUrl(text);
  return url !== null && /^https?:$/.test(url.protocol) && text.length <= LONGEST_CALLBACK;
}

function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
