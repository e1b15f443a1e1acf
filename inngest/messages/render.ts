import { render } from "@react-email/render";
import { createElement } from "react";
import { config } from "../../db/config";
import type { EmailContent, PushContent, SmsContent } from "../../db/rules/message-content";
import { messageLocale } from "../../db/rules/message-locale";
import { oneLine, shortenGraphemes, wellFormed } from "../../db/rules/shorten";
import { phoneCodeText } from "./phone-code";
import { reminderHtml } from "./reminder-html";
import { reminderPush, reminderSms } from "./reminder-text";
import { SignInCodeEmail } from "./sign-in-code";
import { type MessageWords, messageWords } from "./words";

/** Mail clients show less, and a header should fit a few lines. */
const SUBJECT_GRAPHEMES_MAX = 150;

export interface ReminderInput {
  title: string;
  note: string | null;
  url: string | null;
  /** The due time in the subscriber's language and zone, zone named. */
  whenText: string;
  /** The reminder's page, open to whoever holds the message. */
  manageUrl: string;
  /** Where reminders by email can be stopped; absent: nothing is said of it. */
  stopUrl?: string;
  /** The one-click address of RFC 8058. */
  unsubscribeUrl?: string;
  /** Lets a notification's buttons act; absent: it has none. */
  token?: string;
  /** BCP 47; English where messages do not exist in the language. */
  locale?: string | null;
}

export interface RenderedReminder {
  email: EmailContent;
  sms: SmsContent;
  push: PushContent;
}

/**
 * Renders a reminder for all channels: once per occurrence and version, before anything opens. The result is stored and
 * sent as it is by every attempt, so this may change between releases without changing what is under way.
 *
 * A link that is not http or https is left out; the title reaches the subject as one line.
 */
export async function renderReminder(input: ReminderInput): Promise<RenderedReminder> {
  const words = messageWords(input.locale);
  const texts = {
    title: oneLine(input.title),
    note: wellFormed(input.note ?? "").trim(),
    whenText: oneLine(input.whenText),
    url: webLink(input.url),
    manageUrl: input.manageUrl,
    stopUrl: input.stopUrl ?? null,
  };
  const language = messageLocale(input.locale);
  const html = await reminderHtml({ language, words, ...texts });
  const text = [
    texts.title,
    `${words.when}: ${texts.whenText}`,
    ...(texts.note === "" ? [] : ["", texts.note]),
    ...(texts.url === null ? [] : ["", texts.url]),
    "",
    "--",
    words.why,
    `${words.manage}: ${texts.manageUrl}`,
    ...(texts.stopUrl === null ? [] : [`${words.stopEmail}: ${texts.stopUrl}`]),
  ].join("\n");
  const subject = shortenGraphemes(texts.title, SUBJECT_GRAPHEMES_MAX);
  const unsubscribe = input.unsubscribeUrl === undefined ? {} : { unsubscribeUrl: input.unsubscribeUrl };
  const push = reminderPush(texts);
  return {
    email: { subject, html, text, ...unsubscribe },
    sms: reminderSms(texts),
    push: input.token === undefined ? push : { ...push, ...actionsOf(input.token, words) },
  };
}

/** The buttons of a notification; what they do is the service worker's business and the token's right. */
function actionsOf(token: string, words: MessageWords): Pick<PushContent, "token" | "actions"> {
  return {
    token,
    actions: [
      { action: "done", title: words.done },
      { action: "snooze", title: words.snooze },
    ],
  };
}

export interface CodeInput {
  code: string;
  /** How long the code is valid. */
  minutes: number;
  locale?: string | null;
}

/** Renders the email with a sign-in code. */
export async function renderSignInCode({
  code,
  minutes,
  locale,
}: CodeInput): Promise<{ email: EmailContent }> {
  const words = messageWords(locale);
  const language = messageLocale(locale);
  const html = await render(createElement(SignInCodeEmail, { language, words, code, minutes }));
  const text = [words.signInExplanation, "", code, "", words.validFor(minutes), "", "--", words.notYou].join(
    "\n",
  );
  return { email: { subject: words.signInSubject(code), html, text } };
}

/** Renders the text message with a code that proves a phone number. */
export function renderPhoneCode({ code, minutes, locale }: CodeInput): { sms: SmsContent } {
  return { sms: phoneCodeText(messageWords(locale), code, minutes) };
}

/** Renders the notification that tests a device. */
export function renderDeviceTest(locale?: string | null): PushContent {
  const { deviceTest } = messageWords(locale);
  return { ...deviceTest, url: `${config().appUrl}/settings/channels` };
}

function webLink(url: string | null): string | null {
  if (url === null || !URL.canParse(url)) return null;
  const parsed = new URL(url);
  return parsed.protocol === "https:" || parsed.protocol === "http:" ? parsed.href : null;
}
