import { type MessageLocale, messageLocale } from "../../db/rules/message-locale";
import { ar } from "./languages/ar";
import { de } from "./languages/de";
import { en } from "./languages/en";
import { fr } from "./languages/fr";

export interface MessageWords {
  reminder: string;
  when: string;
  openLink: string;
  manage: string;
  why: string;
  signInSubject(code: string): string;
  signInHeading: string;
  signInExplanation: string;
  validFor(minutes: number): string;
  notYou: string;
  phoneCode(code: string, minutes: number): string;
  deviceTest: { title: string; body: string };
  /** Small print: stops mail of this kind. */
  stopEmail: string;
  /** Buttons of a notification, and of the page that a link in a message opens. */
  done: string;
  snooze: string;
  page: LinkPageWords;
}

/** What the pages say that a link in a message opens without signing in. */
export interface LinkPageWords {
  title: string;
  due: string;
  doneButton: string;
  snoozeHour: string;
  snoozeTomorrow: string;
  cancelButton: string;
  stopHeading(channel: string): string;
  stopButton(channel: string): string;
  stopExplanation(channel: string): string;
  channelNames: { email: string; sms: string; push: string };
  said: { done: string; snoozed: string; cancelled: string; stopped(channel: string): string; late: string };
  /** Of a parcel instead of a reminder. */
  parcel: {
    title: string;
    leave: string;
    leaveExplanation: string;
    left: string;
    stopButton(channel: string): string;
    stopExplanation(channel: string): string;
    stopped(channel: string): string;
    signIn: string;
  };
  signIn: string;
  unknownTitle: string;
  unknown: string;
  /** Read out behind a button's words while it works. */
  inProgress: string;
}

/** The languages that messages are written in: a file in `languages/`, and its name here. */
const WORDS: Record<MessageLocale, MessageWords> = { en, de, fr, ar };

/** The words of messages in a language. */
export function messageWords(locale: string | null | undefined): MessageWords {
  return WORDS[messageLocale(locale)];
}

/** Languages that are written from right to left (Unicode script property of their usual script). */
const RIGHT_TO_LEFT = ["ar", "fa", "he", "ur"];

/** The direction in which a language is written. */
export function textDirection(locale: string | null | undefined): "ltr" | "rtl" {
  return RIGHT_TO_LEFT.includes(messageLocale(locale)) ? "rtl" : "ltr";
}
