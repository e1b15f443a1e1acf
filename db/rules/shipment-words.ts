import type { ScanOutcome, ShipmentStatus } from "./shipment-status";
import type { Speech } from "./speech";
import type { Tone } from "./story-line";

const TONES: Record<ShipmentStatus, Tone> = {
  pending: "waiting",
  info_received: "waiting",
  in_transit: "working",
  out_for_delivery: "working",
  failed_attempt: "attention",
  exception: "attention",
  available_for_pickup: "attention",
  expired: "quiet",
  delivered: "good",
  returned: "bad",
};

/** A parcel's status for people: one to four words, and how it feels. */
export function tellShipment(
  status: ShipmentStatus,
  { words }: Speech<"shipment">,
): { status: string; tone: Tone } {
  return { status: words.shipment.status[status], tone: TONES[status] };
}

/** Why a scan told nobody anything; null for one that did. */
export function tellUnannounced(outcome: ScanOutcome, { words }: Speech<"shipment">): string | null {
  switch (outcome) {
    case "announced":
      return null;
    case "repeated":
      return words.shipment.repeated;
    case "out_of_order":
      return words.shipment.outOfOrder;
  }
}

/** A calendar day in words; it has no zone, and is told in none. */
export function dayInWords(day: string, language: string): string {
  const format = new Intl.DateTimeFormat(language === "en" ? "en-GB" : language, {
    weekday: "long",
    day: "numeric",
    month: "long",
    timeZone: "UTC",
  });
  return format.format(new Date(`${day}T00:00:00Z`));
}
