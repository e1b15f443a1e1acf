/** What somebody wants who answers a text. */
export type InboundWish = "stop" | "start" | "help";

/** As carriers and Twilio recognise them when they are the whole text (CTIA Messaging Principles 5.1). */
const STOP = [
  "stop",
  "stopall",
  "unsubscribe",
  "cancel",
  "end",
  "quit",
  "revoke",
  "optout",
  "opt out",
  "arret",
];
const START = ["start", "yes", "unstop"];
const HELP = ["help", "info"];

/**
 * Words of people who do not know the keywords. Whoever reads one of these as a wish to go on is wrong more often than
 * whoever stops (47 CFR 64.1200(a)(10): any reasonable means). They need the verb near its object: "don't stop" and
 * "the bus stop" are neither.
 */
const STOP_PHRASES = [
  /\b(?:please|pls|plz)\s+stop\b/,
  /\bstop\s+(?:(?:sending|texting|messaging|contacting|bothering|spamming)\b|(?:all|the|these|your)\s+(?:texts?|messages?|sms|reminders?)\b|it\b|this\b|please\b|now\b)/,
  /\bunsubscribe\s+me\b|\bplease\s+unsubscribe\b/,
  /\b(?:remove|take)\s+me\s+(?:off|from)\b|\bremove\s+(?:me|my\s+number)\b/,
  /\b(?:do\s?n[o']?t|do\s+not|never)\s+(?:text|message|contact|sms|send)\b/,
  /\bno\s+more\s+(?:texts?|messages?|sms|reminders?)\b/,
  /\bopt(?:ing)?\s*-?\s*(?:me\s+)?out\b/,
];

const NOT_A_STOP =
  /\b(?:do\s?n[o']?t|do\s+not|never|wo\s?n[o']?t|ca\s?n[o']?t)\s+(?:please\s+)?(?:stop|unsubscribe|remove)\b/;

/** Twilio joins the parts of a long text up to this length; what a person asks for is said before. */
const TEXT_CHARACTERS_MAX = 1600;

/** Reads an inbound text; null when it asks for nothing. Twilio's own reading (`OptOutType`) wins where it is given. */
export function inboundWish(text: string, optOutType: string | null): InboundWish | null {
  switch (optOutType?.toUpperCase()) {
    case "STOP":
      return "stop";
    case "START":
      return "start";
    case "HELP":
      return "help";
  }
  const plain = text
    .slice(0, TEXT_CHARACTERS_MAX)
    .normalize("NFKD")
    .replace(/\p{Mn}/gu, "")
    .replace(/[’‘`]/g, "'")
    .toLowerCase()
    .trim();
  const words = plain.replace(/^[\s"'“”.!?-]+|[\s"'“”.!?-]+$/g, "").replace(/\s+/g, " ");
  if (STOP.includes(words)) return "stop";
  if (START.includes(words)) return "start";
  if (HELP.includes(words)) return "help";
  if (NOT_A_STOP.test(plain)) return null;
  return STOP_PHRASES.some((phrase) => phrase.test(plain)) ? "stop" : null;
}
