import type { WaitClass } from "./lifecycle";
import type { OutcomeClass } from "./outcome";
import { type Phrase, readClass, type StoryLine } from "./words";

export interface OccurrenceFacts {
  state: "waiting" | "opened" | "missed" | "cancelled";
  cancelled: boolean;
  /** Its owner has dealt with it, or has paused it: that is why nothing comes. */
  stopped?: "done" | "paused" | null;
  dueAtMs: number;
  nowMs: number;
}

/** What a channel has to tell before it has a delivery of its own. */
export function tellOccurrence({ state, cancelled, stopped, dueAtMs, nowMs }: OccurrenceFacts): StoryLine {
  if (stopped === "done" && state !== "waiting") {
    return told("Done", "good", "You have dealt with it. Nothing more is sent.");
  }
  if (stopped === "paused") return told("Paused", "quiet", "Nothing comes until you resume it.");
  if (cancelled || state === "cancelled") {
    return {
      status: "Cancelled",
      tone: "quiet",
      sentence: ["Cancelled before it was due. Nothing was sent."],
      advice: null,
      live: false,
    };
  }
  switch (state) {
    case "waiting":
      return dueAtMs > nowMs
        ? {
            status: "Scheduled",
            tone: "waiting",
            sentence: ["Will be sent at ", { atMs: dueAtMs }, "."],
            advice: null,
            live: true,
          }
        : {
            status: "Due now",
            tone: "working",
            sentence: ["It is due and goes out now."],
            advice: null,
            live: true,
          };
    case "missed":
      return {
        status: "Missed",
        tone: "bad",
        sentence: [
          "Our side was down at ",
          { atMs: dueAtMs },
          " and for so long that it was of no use any more.",
        ],
        advice: "Snooze it to send it after all.",
        live: false,
      };
    case "opened":
      return {
        status: "Not sent",
        tone: "quiet",
        sentence: ["Not sent on this channel."],
        advice: null,
        live: false,
      };
  }
}

function told(status: string, tone: StoryLine["tone"], sentence: string): StoryLine {
  return { status, tone, sentence: [sentence], advice: null, live: false };
}

export interface AttemptFacts {
  class: string | null;
  begunAtMs: number;
  /** As the provider sent it: seconds or a date; null when it named no time. */
  retryAfter: string | null;
}

/** One call to a provider, for somebody who wants to know exactly. */
export function tellAttempt({ class: name, begunAtMs, retryAfter }: AttemptFacts): Phrase {
  return [{ atMs: begunAtMs, seconds: true }, ` ${attemptWords(name, retryAfter)}`];
}

function attemptWords(name: string | null, retryAfter: string | null): string {
  const known: OutcomeClass | WaitClass | null = readClass(name);
  switch (known) {
    case null:
      return name === null ? "handed over, no answer yet" : "ended";
    case "accepted":
      return "accepted";
    case "throttled":
      return retryAfter === null ? "busy" : `busy, asked us to wait ${waitInWords(retryAfter)}`;
    case "quota":
      return "refused: the limit for now was reached";
    case "transient":
      return "failed, certainly not sent";
    case "ambiguous":
      return "no clear answer, perhaps sent";
    case "crashed":
      return "interrupted on our side, perhaps sent";
    case "destination_rejected":
      return "refused: the address does not work";
    case "message_rejected":
      return "refused: the message was not accepted";
    case "config_rejected":
      return "refused: something on our side is wrong";
    case "not_made":
    case "local_rate_limit":
    case "quiet_hours":
    case "sms_hours":
    case "paused":
    case "not_before":
      return "not handed over";
  }
}

/** `5` reads as `5 seconds`, a date as it is. */
function waitInWords(retryAfter: string): string {
  if (!/^\d{1,6}$/.test(retryAfter)) return `until ${retryAfter}`;
  return Number(retryAfter) === 1 ? "1 second" : `${Number(retryAfter)} seconds`;
}
