import type { PushContent, SmsContent } from "../../db/rules/message-content";
import { fitPushPayload } from "../../db/rules/push-payload";
import { oneLine, shortenGraphemes, shortenToFit } from "../../db/rules/shorten";
import { countSmsSegments, toPlainPunctuation } from "../../db/rules/sms-segments";

/** Two segments hold what a reminder says; more costs more than it tells (Twilio advises at most 320 characters). */
const SEGMENTS_WANTED = 2;
/** A long link may take so many; a longer one is replaced by the reminder's own page, which shows it. */
const SEGMENTS_MAX = 4;

/** What a notification shows of a title and a text at most, on any system. */
const PUSH_TITLE_GRAPHEMES_MAX = 120;
const PUSH_BODY_GRAPHEMES_MAX = 400;

/** Mozilla's bridge to Android takes 2744 bytes of text; every service takes more. */
const PUSH_BYTES_WANTED = 2744;
/** Its buttons and their token, in the longest of our languages. */
const ACTIONS_BYTES = 220;
/** As long as the delivery's reference, which takes its place when the request is made. */
const ANY_TAG = "0".repeat(32);

export interface ReminderTexts {
  title: string;
  note: string;
  whenText: string;
  url: string | null;
  manageUrl: string;
}

/**
 * The text message of a reminder: title and time, note, link. The note is shortened first, then the title; the link is
 * never cut. Typographic punctuation becomes plain, so that it does not double the price.
 */
export function reminderSms(texts: ReminderTexts): SmsContent {
  const title = toPlainPunctuation(oneLine(texts.title));
  const when = toPlainPunctuation(oneLine(texts.whenText));
  const note = toPlainPunctuation(oneLine(texts.note));
  const links = texts.url === null ? [""] : [texts.url, texts.manageUrl, ""];

  for (const link of links) {
    for (const segmentsMax of [SEGMENTS_WANTED, SEGMENTS_MAX]) {
      const compose = (shortTitle: string, shortNote: string) =>
        [`${shortTitle} (${when})`, shortNote, link].filter((line) => line !== "").join("\n");
      const fits = (text: string) => countSmsSegments(text).segments <= segmentsMax;
      if (fits(compose(title, ""))) {
        return sized(
          compose(
            title,
            shortenToFit(note, (short) => fits(compose(title, short)), "..."),
          ),
        );
      }
      const shortTitle = shortenToFit(title, (short) => fits(compose(short, "")), "...");
      if (shortTitle !== "") return sized(compose(shortTitle, ""));
    }
  }
  // Only a time of a thousand characters leads here.
  return sized(shortenGraphemes(title, 60));
}

/** The notification of a reminder: title, then time and note; a click opens the reminder's link, or its own page. */
export function reminderPush(texts: ReminderTexts): PushContent {
  const url = texts.url ?? texts.manageUrl;
  const title = shortenGraphemes(oneLine(texts.title), PUSH_TITLE_GRAPHEMES_MAX);
  const lines = [oneLine(texts.whenText), oneLine(texts.note)].filter((line) => line !== "");
  const body = shortenGraphemes(lines.join("\n"), PUSH_BODY_GRAPHEMES_MAX);
  const fitted = fitPushPayload({ title, body, url, tag: ANY_TAG }, PUSH_BYTES_WANTED - ACTIONS_BYTES);
  if (fitted === null) return { title, body, url };
  const short = JSON.parse(fitted) as PushContent;
  return { title: short.title, body: short.body, url };
}

function sized(text: string): SmsContent {
  return { text, segments: countSmsSegments(text).segments };
}
