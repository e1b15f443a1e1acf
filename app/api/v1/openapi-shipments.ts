import { z } from "zod";
import type { ZodOpenApiPathsObject } from "zod-openapi";
import { CHANNELS } from "../../../db/rules/api-schemas";
import { noticeBody } from "../../../db/rules/notice-schemas";
import { followBody, shipmentEventsBody } from "../../../db/rules/shipment-schemas";
import { MILESTONES } from "../../../db/rules/shipment-status";
import { answers, failures, idempotent, invalid, json, notFound, replayedHeader } from "./openapi-parts";

const shipmentName = z.string().min(1).max(200).meta({
  description:
    "The shop's own id of the parcel, percent-encoded; AfterShip's parcels are `<slug>:<tracking number>`.",
  example: "parcel-4711-1",
});
const shipmentPath = z.object({ id: shipmentName });
const followerPath = z.object({
  id: shipmentName,
  subscriber: z.string().min(1).max(200).meta({
    description: "The shop's own id of the subscriber, percent-encoded.",
    example: "shopper-1",
  }),
});

const instant = z.iso.datetime();
const status = z.enum(["pending", ...MILESTONES]);
const version = z.int().min(0).meta({ description: "Counts the changes that were announced." });

const recordedAnswer = z
  .object({
    results: z
      .array(
        z.object({
          eventId: z.string(),
          shipment: z.string(),
          outcome: z.enum(["announced", "repeated", "out_of_order", "duplicate"]).meta({
            description:
              "`announced`: the parcel moved forward, and its followers are told. `repeated`, `out_of_order`: kept in the history, told nobody. `duplicate`: this event id was recorded before.",
          }),
          version: version.nullable(),
        }),
      )
      .meta({ description: "One for each scan, in the order in which they were given." }),
  })
  .meta({ id: "RecordedScans" });

const followerAnswer = z
  .object({
    shipment: z.string(),
    order: z.string().nullable(),
    status,
    version,
    channels: z.array(z.enum(CHANNELS)),
    milestones: z.array(z.enum(MILESTONES)),
    policy: z.enum(["every", "latest"]),
  })
  .meta({ id: "Follower" });

const shipmentAnswer = z
  .object({
    shipment: z.string(),
    order: z.string().nullable(),
    carrier: z.string().nullable(),
    trackingNumber: z.string().nullable(),
    url: z.string().nullable(),
    status,
    statusAt: instant.nullable(),
    expectedOn: z.iso.date().nullable(),
    version,
    history: z.array(
      z.object({
        status: z.enum(MILESTONES),
        occurredAt: instant,
        recordedAt: instant,
        detail: z.string().nullable(),
        location: z.string().nullable(),
        outcome: z.enum(["announced", "repeated", "out_of_order"]),
        version: version.nullable(),
      }),
    ),
    followUrl: z
      .string()
      .meta({ description: "The page on which a shopper who has signed in follows the parcel." }),
  })
  .meta({ id: "Shipment" });

const EVENT = {
  eventId: "dhl-998877-17",
  shipment: "parcel-4711-1",
  order: "4711",
  carrier: "DHL",
  trackingNumber: "00340434161094042557",
  status: "out_for_delivery",
  occurredAt: "2026-12-22T08:12:00+01:00",
};

/** Parcels, their followers, and urgent notices. */
export const shipments: ZodOpenApiPathsObject = {
  "/api/v1/shipments/events": {
    post: {
      operationId: "recordShipmentEvents",
      tags: ["Shipments"],
      summary: "Report what a carrier said about parcels",
      description:
        "One scan, or up to 1,000 in `events`; all of them are stored or none. Each is known by its `eventId`: repeat a request as it is until it is answered. A parcel's status only moves forward, whatever order its scans come in. AfterShip's webhook body is taken as well, with its signature (`aftership-hmac-sha256`) in place of an API key.",
      requestParams: idempotent,
      requestBody: json(shipmentEventsBody, {
        one: { summary: "One scan", value: EVENT },
        several: { summary: "An import", value: { events: [EVENT] } },
      }),
      responses: {
        "200": answers("What became of each scan.", recordedAnswer, z.object(replayedHeader)),
        ...invalid,
        ...failures,
      },
    },
  },
  "/api/v1/shipments/{id}": {
    get: {
      operationId: "getShipment",
      tags: ["Shipments"],
      summary: "Read a parcel and its history",
      requestParams: { path: shipmentPath },
      responses: { "200": answers("The parcel.", shipmentAnswer), ...notFound, ...failures },
    },
  },
  "/api/v1/shipments/{id}/followers/{subscriber}": {
    put: {
      operationId: "followShipment",
      tags: ["Shipments"],
      summary: "Let a subscriber follow a parcel",
      description: "From the next change on. A parcel may be followed before its first scan.",
      requestParams: { path: followerPath },
      requestBody: json(followBody, {
        latest: { summary: "The newest state only", value: { channels: ["email"] } },
      }),
      responses: {
        "200": answers("How it is followed now.", followerAnswer),
        ...invalid,
        ...notFound,
        ...failures,
      },
    },
    delete: {
      operationId: "unfollowShipment",
      tags: ["Shipments"],
      summary: "End the following",
      description: "What still waits is not sent.",
      requestParams: { path: followerPath },
      responses: {
        "200": answers("It is not followed.", z.object({ following: z.literal(false) })),
        ...invalid,
        ...notFound,
        ...failures,
      },
    },
  },
  "/api/v1/notices": {
    post: {
      operationId: "sendNotice",
      tags: ["Notices"],
      summary: "Send a password reset, a fraud alert or a security notice",
      description:
        "Goes out at once, before everything else, to the verified addresses of the channels; preferences and quiet hours do not hold it.",
      requestParams: idempotent,
      requestBody: json(noticeBody, {
        reset: {
          summary: "A password reset",
          value: {
            subscriber: "shopper-1",
            template: "password-reset",
            channels: ["email"],
            url: "https://shop.example/reset/9f2c",
            expiresAfterSeconds: 1800,
          },
        },
      }),
      responses: {
        "201": answers(
          "It is stored and on its way.",
          z.object({ id: z.uuid(), deliveries: z.int().min(1) }).meta({ id: "Notice" }),
          z.object(replayedHeader),
        ),
        ...invalid,
        ...failures,
      },
    },
  },
};
