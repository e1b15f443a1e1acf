import { z } from "zod";
import { channels, url } from "./api-schemas";
import { invalid, ok, type Result } from "./errors";
import { checkDate, checkInstant } from "./instant";
import { type Check, checked, closedObject } from "./parse-body";
import { DEFAULT_MILESTONES, MILESTONES } from "./shipment-status";
import { checkText } from "./text";

/** Scans of one request: what a carrier's import sends in a page, and what one transaction carries within a second. */
export const MOST_EVENTS = 1_000;
/** A scan says one thing in one line; more is a log. */
export const DETAIL_MAX_CHARACTERS = 200;
/** A shop's and a carrier's ids: UUIDs, numbers, tracking numbers; the columns hold 200 characters. */
const NAME_MAX_CHARACTERS = 200;
/** Lockers use four to twelve characters; longer is not a code. */
const CODE_MAX_CHARACTERS = 40;

const NAME_ACCEPTED = `1 to ${NAME_MAX_CHARACTERS} ASCII characters without spaces or slashes`;

/** Checks the shop's own id of a parcel: it stands in a path, in logs and in AfterShip's `<slug>:<tracking number>`. */
export function checkShipmentId(field: string, value: unknown): Result<string> {
  const fits =
    typeof value === "string" && value.length <= NAME_MAX_CHARACTERS && /^[\x21-\x2e\x30-\x7e]+$/.test(value);
  return fits ? ok(value) : invalid(field, value, NAME_ACCEPTED);
}

const line = (maxLength: number): Check<string> => {
  return (field, value) => checkText(field, value, { maxLength, required: true, multiline: false });
};
const text = (maxLength: number) =>
  checked(
    z.string({ error: `one line of text of 1 to ${maxLength} characters` }).meta({ minLength: 1, maxLength }),
    line(maxLength),
  );
const optional = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? null);

const shipmentName = checked(
  z.string({ error: NAME_ACCEPTED }).meta({
    minLength: 1,
    maxLength: NAME_MAX_CHARACTERS,
    description: "The shop's own id of the parcel.",
    example: "parcel-4711-1",
  }),
  checkShipmentId,
);

/** One scan, in the one canonical form. */
export const shipmentEventBody = closedObject({
  eventId: text(NAME_MAX_CHARACTERS).meta({
    description: "The carrier's id of this scan: a scan that comes again under its id is recorded once.",
    example: "dhl-998877-17",
  }),
  shipment: shipmentName,
  order: optional(
    text(NAME_MAX_CHARACTERS).meta({ description: "The order; its parcels share one turn in the queue." }),
  ),
  carrier: optional(text(80)),
  trackingNumber: optional(text(80)),
  status: z.enum(MILESTONES, { error: MILESTONES.join(", ") }),
  occurredAt: checked(
    z
      .string({ error: "a date and time with an offset" })
      .meta({ format: "date-time", description: "The carrier's time of the scan, with its offset." }),
    checkInstant,
  ),
  detail: optional(text(DETAIL_MAX_CHARACTERS)),
  location: optional(text(DETAIL_MAX_CHARACTERS)),
  pickUpCode: optional(text(CODE_MAX_CHARACTERS)),
  expectedOn: optional(
    checked(
      z
        .string({ error: "a date" })
        .meta({ format: "date", description: "The day on which it is to be delivered." }),
      checkDate,
    ),
  ),
  url: optional(url),
});
export type ShipmentEventBody = z.output<typeof shipmentEventBody>;

const EVENTS_ACCEPTED = `a list of 1 to ${MOST_EVENTS} scans`;
const batch = closedObject({
  events: z
    .array(shipmentEventBody, { error: EVENTS_ACCEPTED })
    .min(1, { error: EVENTS_ACCEPTED })
    .max(MOST_EVENTS, { error: EVENTS_ACCEPTED }),
});

/** What the body of `POST /api/v1/shipments/events` is read with: a batch names its scans in `events`. */
export function eventsSchema(body: unknown): z.ZodType<ShipmentEventBody[]> {
  const isBatch = typeof body === "object" && body !== null && Object.hasOwn(body, "events");
  return isBatch ? batch.transform((value) => value.events) : shipmentEventBody.transform((value) => [value]);
}

/** The two forms of the body, for the API document. */
export const shipmentEventsBody = z.union([shipmentEventBody, batch]);

const MILESTONES_ACCEPTED = `a list of one or more of ${MILESTONES.join(", ")}, each once`;

/** Body of `PUT /api/v1/shipments/:id/followers/:subscriber`. */
export const followBody = closedObject({
  channels,
  milestones: z
    .array(z.enum(MILESTONES, { error: MILESTONES.join(", ") }), { error: MILESTONES_ACCEPTED })
    .min(1, { error: MILESTONES_ACCEPTED })
    .refine((list) => new Set(list).size === list.length, { error: MILESTONES_ACCEPTED })
    .default([...DEFAULT_MILESTONES])
    .meta({ uniqueItems: true, description: "Which changes this follower is told." }),
  policy: z.enum(["every", "latest"], { error: "every or latest" }).default("latest").meta({
    description:
      "`every` sends each change in its order; `latest` lets an older one that still waits give way to a newer one.",
  }),
  order: optional(text(NAME_MAX_CHARACTERS)),
});
export type FollowBody = z.output<typeof followBody>;
