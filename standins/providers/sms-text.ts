/** GSM 03.38 basic characters; each takes one septet. */
const GSM_BASIC = new Set(
  "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà",
);
/** GSM 03.38 extension characters; each takes an escape and one septet. */
const GSM_EXTENSION = new Set("\f^{}\\[~]|€");

/**
 * How many segments a text takes, as the sender is billed: GSM-7 in 160 characters or parts of 153, where an extension
 * character counts two; any other character turns all of it into UCS-2, 70 units or parts of 67.
 */
export function countSegments(text: string): number {
  let septets = 0;
  for (const character of text) {
    if (GSM_BASIC.has(character)) septets += 1;
    else if (GSM_EXTENSION.has(character)) septets += 2;
    else return text.length <= 70 ? 1 : Math.ceil(text.length / 67);
  }
  return septets <= 160 ? 1 : Math.ceil(septets / 153);
}

/** Words by which a reader opts out, as Twilio recognises them when they are the whole text. */
const STOP_WORDS = ["STOP", "STOPALL", "UNSUBSCRIBE", "CANCEL", "END", "QUIT"];
const START_WORDS = ["START", "YES", "UNSTOP"];
const HELP_WORDS = ["HELP", "INFO"];

/** What an inbound text asks of the opt-out list. */
export function optOutType(text: string): "STOP" | "START" | "HELP" | null {
  const word = text.trim().toUpperCase();
  if (STOP_WORDS.includes(word)) return "STOP";
  if (START_WORDS.includes(word)) return "START";
  return HELP_WORDS.includes(word) ? "HELP" : null;
}
