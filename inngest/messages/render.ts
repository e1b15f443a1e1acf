import { render } from "@react-email/render";
import { createElement } from "react";
import type { EmailContent, PushContent, SmsContent } from "../../db/rules/message-content";
import { oneLine, shortenGraphemes, wellFormed } from "../../db/rules/shorten";
import { phoneCodeText } from "./phone-code";
import { reminderHtml } from "./reminder-html";
import { reminderPush, reminderSms } from "./reminder-text";
import { SignInCodeEmail } from "./sign-in-code";
import { messageLocale, messageWords } from "./words";

/** Mail clients show less, and a header should fit a few lines. */
const SUBJECT_GRAPHEMES_MAX = 150;

export interface ReminderInput {
  title: string;
  note: string | null;
  url: string | null;
  /** The due time in the subscriber's language and zone, zone named. */
  whenText: string;
  /** The reminder's own page. */
  manageUrl: string;
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
  ].join("\n");
  const subject = shortenGraphemes(texts.title, SUBJECT_GRAPHEMES_MAX);
  return { email: { subject, html, text }, sms: reminderSms(texts), push: reminderPush(texts) };
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

function webLink(url: string | null): string | null {
  if (url === null || !URL.canParse(url)) return null;
  const parsed = new URL(url);
  return parsed.protocol === "https:" || parsed.protocol === "http:" ? parsed.href : null;
}
