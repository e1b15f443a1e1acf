import type { Milestone, ScanOutcome, ShipmentStatus } from "./shipment-status";
import type { Tone } from "./story-line";

/** A parcel's status for people: one to four words, and how it feels. */
export const SHIPMENT_WORDS: Record<ShipmentStatus, { status: string; tone: Tone }> = {
  pending: { status: "Not reported yet", tone: "waiting" },
  info_received: { status: "Announced", tone: "waiting" },
  in_transit: { status: "On its way", tone: "working" },
  out_for_delivery: { status: "Out for delivery", tone: "working" },
  failed_attempt: { status: "Not handed over", tone: "attention" },
  exception: { status: "Held up", tone: "attention" },
  available_for_pickup: { status: "Ready for pick-up", tone: "attention" },
  expired: { status: "No news", tone: "quiet" },
  delivered: { status: "Delivered", tone: "good" },
  returned: { status: "Going back", tone: "bad" },
};

/** What each milestone is called where somebody chooses it. */
export const MILESTONE_CHOICE: Record<Milestone, string> = {
  info_received: "It is announced to the carrier",
  in_transit: "It is on its way",
  out_for_delivery: "It is out for delivery",
  failed_attempt: "It could not be handed over",
  exception: "It is held up",
  available_for_pickup: "It is ready for pick-up, with the code",
  expired: "The carrier has no news of it",
  delivered: "It was delivered",
  returned: "It goes back to the sender",
};

/** Why a scan told nobody anything; null for one that did. */
export function tellUnannounced(outcome: ScanOutcome): string | null {
  switch (outcome) {
    case "announced":
      return null;
    case "repeated":
      return "Nothing new.";
    case "out_of_order":
      return "It came after a later one.";
  }
}

/** A calendar day in words; it has no zone, and is told in none. */
export function dayInWords(day: string, language: string): string {
  const format = new Intl.DateTimeFormat(language, {
    weekday: "long",
    day: "numeric",
    month: "long",
    timeZone: "UTC",
  });
  return format.format(new Date(`${day}T00:00:00Z`));
}
