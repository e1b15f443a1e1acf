import type { RedriveOrigin, RedriveState } from "../../db/redrive/views";
import type { RedriveVerdict } from "../../db/rules/redrive-verdict";
import type { Tone } from "../../db/rules/words";
import { plain } from "./words";

/** What would become of a dead letter, as an operator says it. */
export const VERDICT_WORDS: Record<RedriveVerdict, { word: string; why: string }> = {
  would_send: {
    word: "would be sent",
    why: "Goes through admission in the redrive lane, under the same key.",
  },
  expired: { word: "expired", why: "Of no use to anybody any more, or its text is wiped." },
  superseded: { word: "superseded", why: "A newer version took its place." },
  cancelled: { word: "cancelled", why: "Its reminder was cancelled, or is paused." },
  answered: { word: "answered", why: "Its reader has opened or finished it elsewhere." },
  opted_out: { word: "opted out", why: "The subscriber turned it off or said stop." },
  no_destination: { word: "no destination", why: "Its address is gone, suppressed or not verified." },
  ambiguous: { word: "ambiguous", why: "It may have arrived: a repeat may reach somebody twice." },
  protection_lapsed: {
    word: "protection lapsed",
    why: "It may have arrived, and the provider’s key that would suppress a repeat is forgotten.",
  },
  past_horizon: { word: "past the horizon", why: "Died more than 14 days ago." },
  dismissed: { word: "dismissed", why: "An operator said that it is nobody’s business any more." },
  in_other_redrive: { word: "in another redrive", why: "An unfinished redrive has it already." },
  delivered: { word: "delivered", why: "It has arrived after all." },
  not_dead: { word: "not dead", why: "It is on its way again." },
};

/** What holds the pace of a redrive down; a word that only a newer version knows stands as it is. */
export function limitWords(limitedBy: string | null): string {
  switch (limitedBy) {
    case null:
      return "nothing";
    case "asked":
      return "the rate that was asked for";
    case "share":
      return "a fifth of the partition’s rate";
    case "spare":
      return "what live work leaves";
    case "ramp":
      return "the ramp after its canaries";
    case "canary":
      return "its canaries, which are out";
    case "gate":
      return "the closed partition";
    case "live_work":
      return "live work, which goes first";
    case "out":
      return "what is out already";
    case "turn":
      return "its turn";
    case "nothing_left":
      return "nothing: none is left";
    default:
      return plain(limitedBy);
  }
}

export const STATE_WORDS: Record<RedriveState, { word: string; tone: Tone }> = {
  previewed: { word: "Preview", tone: "quiet" },
  running: { word: "Running", tone: "working" },
  paused: { word: "Paused", tone: "attention" },
  stopped: { word: "Stopped", tone: "quiet" },
  finished: { word: "Finished", tone: "good" },
};

export const ORIGIN_WORDS: Record<RedriveOrigin, string> = {
  operator: "chosen by an operator",
  rerun: "reruns of dead-letter runs",
  resolution: "resolved as not arrived",
};
