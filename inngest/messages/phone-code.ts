import type { SmsContent } from "../../db/rules/message-content";
import { countSmsSegments, toPlainPunctuation } from "../../db/rules/sms-segments";
import type { MessageWords } from "./words";

/** The text message that proves a number. The code comes first: that is what a lock screen shows and phones offer to fill in. */
export function phoneCodeText(words: MessageWords, code: string, minutes: number): SmsContent {
  const text = toPlainPunctuation(words.phoneCode(code, minutes));
  return { text, segments: countSmsSegments(text).segments };
}
