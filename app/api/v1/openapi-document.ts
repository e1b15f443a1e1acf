import { z } from "zod";
import { createDocument, type ZodOpenApiPathsObject } from "zod-openapi";
import {
  createReminderBody,
  editReminderBody,
  listRemindersQuery,
  putSubscriberBody,
  snoozeBody,
} from "../../../db/rules/api-schemas";
import {
  answers,
  conflict,
  DESCRIPTION,
  failures,
  id,
  idempotent,
  invalid,
  json,
  notFound,
  plainSchemas,
  replayedHeader,
  security,
} from "./openapi-parts";
import { shipments } from "./openapi-shipments";
import {
  cancelledReminderAnswer,
  deliveriesAnswer,
  erasedAnswer,
  healthAnswer,
  personalDataAnswer,
  reminderAnswer,
  reminderPageAnswer,
  subscriberAnswer,
  unhealthyAnswer,
} from "./schemas";

/** The first version of the paths under `/api/v1`; it grows with them. */
const API_VERSION = "1.0.0";

const path = z.object({ id });
const subscriberPath = z.object({
  externalId: z.string().min(1).max(200).meta({
    description: "The shop's own id of the subscriber, percent-encoded; visible ASCII without spaces.",
    example: "shopper-1",
  }),
});

const REMINDER_EXAMPLES = {
  instant: {
    summary: "Due at an instant",
    value: {
      subscriber: "shopper-1",
      title: "Pay the rent",
      dueAt: "2026-12-24T09:00:00+01:00",
      channels: ["email", "push"],
    },
  },
  wallTime: {
    summary: "Due when the clock of a zone shows a time",
    value: {
      subscriber: "shopper-1",
      title: "Collect the parcel",
      note: "It waits at the counter until noon.",
      url: "https://shop.example/orders/4711",
      dueAt: { local: "2026-12-24T09:00", timeZone: "Europe/Berlin" },
      channels: ["sms"],
      expiresAfterSeconds: 10_800,
    },
  },
};

const SUBSCRIBER_EXAMPLES = {
  verified: {
    summary: "An address that the shop has verified",
    value: { email: "ada@shopper.example", timeZone: "Europe/Berlin", verified: true },
  },
};

const subscribers: ZodOpenApiPathsObject = {
  "/api/v1/subscribers/{externalId}": {
    put: {
      operationId: "putSubscriber",
      tags: ["Subscribers"],
      summary: "Create or change a subscriber",
      description:
        "Absent fields stay as they are; null removes an address. An address that changes retires the one before. Verification is only ever added: the shop vouches in `verified` for addresses of the same body. Push subscriptions are added to those known; one that its service reports as gone is removed by itself.",
      requestParams: { path: subscriberPath },
      requestBody: json(putSubscriberBody, SUBSCRIBER_EXAMPLES),
      responses: {
        "200": answers("The subscriber as it is now.", subscriberAnswer),
        ...invalid,
        ...failures,
      },
    },
    get: {
      operationId: "getSubscriber",
      tags: ["Subscribers"],
      summary: "Read a subscriber",
      requestParams: { path: subscriberPath },
      responses: { "200": answers("The subscriber.", subscriberAnswer), ...notFound, ...failures },
    },
    delete: {
      operationId: "eraseSubscriber",
      tags: ["Subscribers"],
      summary: "Erase a subscriber",
      description:
        "Wants a key with the scope `privacy`. Everything personal goes, reminders and account included; what waits ends as `erased`. Of addresses that said stop a keyed hash stays.",
      requestParams: { path: subscriberPath },
      responses: {
        "200": answers("What was erased.", erasedAnswer),
        ...notFound,
        ...conflict,
        ...failures,
      },
    },
  },
  "/api/v1/subscribers/{externalId}/export": {
    get: {
      operationId: "exportSubscriber",
      tags: ["Subscribers"],
      summary: "Everything that is kept about a subscriber",
      description: "Wants a key with the scope `privacy`.",
      requestParams: { path: subscriberPath },
      responses: {
        "200": answers("Tables by name.", personalDataAnswer),
        ...notFound,
        ...failures,
      },
    },
  },
};

const reminders: ZodOpenApiPathsObject = {
  "/api/v1/reminders": {
    post: {
      operationId: "createReminder",
      tags: ["Reminders"],
      summary: "Set a reminder",
      description:
        "Answered once it is stored: from then on it is delivered, or ends with a reason that can be read. Every channel needs a verified destination of the subscriber.",
      requestParams: idempotent,
      requestBody: json(createReminderBody, REMINDER_EXAMPLES),
      responses: {
        "201": answers(
          "The reminder.",
          reminderAnswer,
          z.object({
            Location: z.string().meta({ description: "The reminder's path." }),
            ...replayedHeader,
          }),
        ),
        ...invalid,
        ...failures,
      },
    },
    get: {
      operationId: "listReminders",
      tags: ["Reminders"],
      summary: "List reminders by due time",
      description:
        "Paging by cursor: what was there when the first page was read comes exactly once, whatever is added meanwhile. A reminder whose time is changed meanwhile moves.",
      requestParams: { query: listRemindersQuery },
      responses: { "200": answers("A page of reminders.", reminderPageAnswer), ...invalid, ...failures },
    },
  },
  "/api/v1/reminders/{id}": {
    get: {
      operationId: "getReminder",
      tags: ["Reminders"],
      summary: "Read a reminder",
      requestParams: { path },
      responses: { "200": answers("The reminder.", reminderAnswer), ...notFound, ...failures },
    },
    patch: {
      operationId: "editReminder",
      tags: ["Reminders"],
      summary: "Edit a reminder",
      description:
        "Absent keys stay as they are; null removes a note or link. From here on only the new version is delivered, once. A reminder that was sent needs a new time to be sent again.",
      requestParams: { path },
      requestBody: json(editReminderBody),
      responses: {
        "200": answers("The reminder as it is now.", reminderAnswer),
        ...notFound,
        ...conflict,
        ...invalid,
        ...failures,
      },
    },
    delete: {
      operationId: "cancelReminder",
      tags: ["Reminders"],
      summary: "Cancel a reminder",
      description: "Tells per channel what it came to; a message that is being sent cannot be called back.",
      requestParams: { path },
      responses: {
        "200": answers("The reminder, and what the cancel came to.", cancelledReminderAnswer),
        ...notFound,
        ...failures,
      },
    },
  },
  "/api/v1/reminders/{id}/snooze": {
    post: {
      operationId: "snoozeReminder",
      tags: ["Reminders"],
      summary: "Snooze a reminder",
      description:
        "It is delivered again at the new time, also when it was delivered before. What still waits of the old time gives way.",
      requestParams: { path, ...idempotent },
      requestBody: json(snoozeBody, {
        minutes: { summary: "From now", value: { minutes: 10 } },
        dueAt: { summary: "Until a time", value: { dueAt: "2026-12-24T12:00:00+01:00" } },
      }),
      responses: {
        "200": answers("The reminder with its new time.", reminderAnswer, z.object(replayedHeader)),
        ...notFound,
        ...conflict,
        ...invalid,
        ...failures,
      },
    },
  },
  "/api/v1/reminders/{id}/deliveries": {
    get: {
      operationId: "listDeliveries",
      tags: ["Reminders"],
      summary: "Read what became of a reminder",
      description: "Every delivery of every occurrence, with every call that was made.",
      requestParams: { path },
      responses: { "200": answers("The deliveries.", deliveriesAnswer), ...notFound, ...failures },
    },
  },
};

const about: ZodOpenApiPathsObject = {
  "/api/health": {
    get: {
      operationId: "getHealth",
      tags: ["About"],
      summary: "Ask whether this process can do its work",
      security: [],
      responses: {
        "200": answers("It can.", healthAnswer),
        "503": answers("The database does not answer.", unhealthyAnswer),
      },
    },
  },
  "/api/v1/openapi.json": {
    get: {
      operationId: "getOpenapiDocument",
      tags: ["About"],
      summary: "Read this document",
      security: [],
      responses: { "200": answers("This document.", z.looseObject({ openapi: z.string() })) },
    },
  },
};

/** The OpenAPI 3.1 document of every route under `/api/v1`, made of the schemas that the routes themselves use. */
export function openapiDocument() {
  return createDocument(
    {
      openapi: "3.1.0",
      info: {
        title: "Punctual",
        version: API_VERSION,
        description: DESCRIPTION,
        license: { name: "MIT", identifier: "MIT" },
      },
      servers: [{ url: "/", description: "Where this document comes from." }],
      security: [{ apiKey: [] }],
      tags: [
        { name: "Subscribers", description: "People who can be reminded, and where." },
        { name: "Reminders", description: "What is to be said to whom, when and where." },
        { name: "Shipments", description: "Parcels, what carriers say about them, and who is told." },
        { name: "Notices", description: "What must arrive at once." },
        { name: "About", description: "This API itself." },
      ],
      paths: { ...subscribers, ...reminders, ...shipments, ...about },
      components: { securitySchemes: security },
    },
    { override: plainSchemas },
  );
}
