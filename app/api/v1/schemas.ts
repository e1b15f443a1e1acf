import { z } from "zod";
import type { CancelOutcome } from "../../../db/reminders/cancel";
import type { DeliveryView } from "../../../db/reminders/read";
import type { ReminderView } from "../../../db/reminders/views";
import { CHANNELS, REMINDER_STATUSES } from "../../../db/rules/api-schemas";
import type { FieldError, ProblemCode } from "../../../db/rules/errors";
import { DEAD_REASONS, DELIVERY_STATES, EXPIRED_REASONS, WAIT_CLASSES } from "../../../db/rules/lifecycle";
import { RECEIPT_MEANINGS } from "../../../db/rules/receipt";
import type { SubscriberView } from "../../../db/subscribers";

/**
 * What the API answers, as schemas: the OpenAPI document is made of them, and the tests hold real answers to it. A
 * `satisfies` ties each to the view that the verbs return.
 */

const instant = z.iso
  .datetime()
  .meta({ description: "An instant, in UTC.", example: "2026-12-24T08:00:00.000Z" });
const id = z.uuid().meta({ example: "0b6cf4c1-5a2e-4f6e-9c8e-3f6f0d1c2b3a" });
const zone = z.string().meta({ description: "An IANA time zone name.", example: "Europe/Berlin" });
const channel = z.enum(CHANNELS);
const count = z.int().min(0);

const reminderShape = {
  id,
  subscriber: z
    .string()
    .nullable()
    .meta({ description: "The shop's id of the subscriber.", example: "shopper-1" }),
  title: z.string().meta({ example: "Pay the rent" }),
  note: z.string().nullable(),
  url: z.string().nullable(),
  dueAt: instant,
  timeZone: zone,
  channels: z.array(channel),
  expiresAfterSeconds: z.int().meta({ description: "How long after its time it is still of use." }),
  repeat: z.string().nullable().meta({ description: "How it repeats (RFC 5545); null: it comes once." }),
  floating: z.boolean().meta({ description: "The zone follows the subscriber's." }),
  throughQuietHours: z.boolean(),
  nextChannelAfterMinutes: z.int().nullable().meta({ description: "Null: all channels at once." }),
  checkUrl: z.string().nullable(),
  status: z.enum(REMINDER_STATUSES),
  version: z.int().min(1).meta({ description: "Counts edits; only the newest version is delivered." }),
  occurrence: id.meta({ description: "The occurrence that is due next, or the latest one." }),
  createdAt: instant,
  updatedAt: instant,
};

export const reminderAnswer = z.object(reminderShape).meta({ id: "Reminder" });
export type ReminderAnswer = z.output<typeof reminderAnswer>;

/**
 * A reminder as the API shows it: of its occurrence the id. Member by member, so that the answer to a repeated request,
 * which comes from a column that keeps no order, reads as the first one did.
 */
export function showReminder(view: ReminderView): ReminderAnswer {
  return {
    id: view.id,
    subscriber: view.subscriber,
    title: view.title,
    note: view.note,
    url: view.url,
    dueAt: view.dueAt,
    timeZone: view.timeZone,
    channels: view.channels,
    expiresAfterSeconds: view.expiresAfterSeconds,
    repeat: view.repeat,
    floating: view.floating,
    throughQuietHours: view.throughQuietHours,
    nextChannelAfterMinutes: view.nextChannelAfterMinutes,
    checkUrl: view.checkUrl,
    status: view.status,
    version: view.version,
    occurrence: view.occurrence.id,
    createdAt: view.createdAt,
    updatedAt: view.updatedAt,
  };
}

export const reminderPageAnswer = z
  .object({
    reminders: z.array(reminderAnswer).meta({ description: "By due time, earliest first." }),
    nextCursor: z
      .string()
      .nullable()
      .meta({ description: "Give it as `cursor` to get the next page; null on the last one." }),
  })
  .meta({ id: "ReminderPage" });

const CANCEL_OUTCOMES = [
  "cancelled",
  "too_late",
  "already_sent",
  "outcome_unknown",
  "already_ended",
] as const satisfies readonly CancelOutcome["channels"][number]["outcome"][];

export const cancelledReminderAnswer = z
  .object({
    ...reminderShape,
    cancelled: z
      .array(
        z.object({
          channel,
          outcome: z.enum(CANCEL_OUTCOMES).meta({
            description:
              "`cancelled`: nothing will be sent. `too_late`: it is being sent at this moment. `already_sent`: it had been sent. `outcome_unknown`: nothing more will be sent, but an earlier call may have arrived. `already_ended`: it had ended unsent.",
          }),
        }),
      )
      .meta({ description: "What the cancel came to, per channel." }),
  })
  .meta({ id: "CancelledReminder" });

/** A cancelled reminder as the API shows it. */
export function showCancelled(outcome: CancelOutcome): z.output<typeof cancelledReminderAnswer> {
  return { ...showReminder(outcome.reminder), cancelled: outcome.channels };
}

const attemptAnswer = z
  .object({
    number: z.int().min(1),
    begunAt: instant,
    settledAt: instant.nullable().meta({ description: "Null while the call lasts." }),
    class: z.string().nullable().meta({ description: "How the call ended.", example: "accepted" }),
    status: z.int().nullable().meta({ description: "The provider's HTTP status." }),
    code: z.string().nullable().meta({ description: "The provider's error code." }),
    retryAfter: z.string().nullable().meta({ description: "The provider's `Retry-After`, as sent." }),
    detail: z.string().nullable().meta({ description: "The provider's text, without anything personal." }),
  })
  .meta({ id: "Attempt" }) satisfies z.ZodType<DeliveryView["history"][number]>;

const list = (words: readonly string[]) => words.map((word) => `\`${word}\``).join(", ");

const deliveryAnswer = z
  .object({
    key: z
      .string()
      .meta({ description: "Names this delivery for ever: every retry and redrive has the same key." }),
    channel,
    device: z.string().nullable().meta({ description: "What its owner calls the device; push only." }),
    occurrence: id,
    version: z.int().min(1).meta({ description: "The version of the reminder that it carries." }),
    state: z.enum(DELIVERY_STATES).meta({
      description:
        "`scheduled`: its time has not come. `ready`: waits for admission. `sending`: is being sent. `deferred`: waits until `nextEligibleAt`. `delivered`: the provider accepted it. `dead`: needs a decision. `expired`: no longer wanted.",
    }),
    reason: z
      .string()
      .nullable()
      .meta({
        description: `Why it ended. Dead: ${list(DEAD_REASONS)}. Expired: ${list(EXPIRED_REASONS)}.`,
      }),
    lastClass: z
      .string()
      .nullable()
      .meta({
        description: `How the last call ended, or why it waits: ${list(WAIT_CLASSES)}, or the class of a final answer.`,
      }),
    receipt: z.enum(RECEIPT_MEANINGS).nullable().meta({
      description:
        "What the provider reported after it took the message: `arrived`, `not_arrived`, `complained`, `delayed`, `accepted`; `not_found` when a look-up found no such message. Null while nothing was reported; push has no reports.",
    }),
    nextEligibleAt: instant.nullable().meta({ description: "No call is made before this." }),
    expectedAt: instant.nullable().meta({
      description: "When it is expected to leave, the provider's limits considered; null once it has ended.",
    }),
    expectedBy: instant.nullable().meta({
      description: "The latest it is expected to leave, should the provider slow down once more.",
    }),
    scheduledAt: instant,
    firstAttemptAt: instant.nullable(),
    latestAttemptAt: instant.nullable(),
    finishedAt: instant.nullable(),
    expiresAt: instant.meta({ description: "No call begins after this." }),
    attempts: count.meta({ description: "Calls that were begun." }),
    failures: count.meta({ description: "Calls that counted against the failure budget; a 429 never does." }),
    throttles: count.meta({ description: "Calls that the provider answered with 429." }),
    history: z.array(attemptAnswer),
  })
  .meta({ id: "Delivery" }) satisfies z.ZodType<DeliveryView>;

export const deliveriesAnswer = z
  .object({
    deliveries: z
      .array(deliveryAnswer)
      .meta({ description: "Oldest occurrence first; empty until the reminder's time has come." }),
  })
  .meta({ id: "Deliveries" });

export const subscriberAnswer = z
  .object({
    id,
    externalId: z.string().nullable().meta({ description: "The shop's id of the subscriber." }),
    timeZone: zone,
    locale: z.string().meta({ example: "en" }),
    destinations: z.array(
      z
        .object({
          id,
          channel,
          address: z.string().meta({
            description:
              "The email address, the number in E.164, or the push service's host (never the endpoint).",
          }),
          label: z.string().nullable().meta({ description: "What its owner calls the device." }),
          state: z.enum(["active", "suppressed"]).meta({
            description: "`suppressed`: the provider or the person said stop; nothing is sent there.",
          }),
          verified: z.boolean().meta({ description: "Only verified destinations are reminded." }),
          dailyLimit: count.nullable().meta({
            description: "The most messages a day that its owner wants there; null: no limit.",
          }),
        })
        .meta({ id: "Destination" }),
    ),
  })
  .meta({ id: "Subscriber" }) satisfies z.ZodType<SubscriberView>;

const PROBLEM_CODES = [
  "invalid_input",
  "not_found",
  "forbidden",
  "unauthorised",
  "conflict",
  "idempotency_mismatch",
  "too_late",
  "rate_limited",
  "internal",
  "unavailable",
] as const satisfies readonly (ProblemCode | "internal")[];

const fieldErrorAnswer = z
  .object({
    field: z.string().meta({
      description: "Path of the value as the caller wrote it; `body` for the whole, a header by its name.",
      example: "dueAt.timeZone",
    }),
    given: z.string().meta({ description: "The value, shortened and printable.", example: '"Mars/Base"' }),
    accepted: z.string().meta({
      description: "What would have been accepted.",
      example: 'an IANA time zone name, such as "Europe/Berlin"',
    }),
    message: z.string().meta({ description: "One sentence for a person." }),
  })
  .meta({ id: "FieldError" }) satisfies z.ZodType<FieldError>;

/** RFC 9457. */
export const problemAnswer = z
  .object({
    type: z.string().meta({ example: "urn:punctual:problem:invalid_input" }),
    title: z.string(),
    status: z.int().min(400).max(599),
    detail: z.string().meta({ description: "What is wrong, for a person." }),
    code: z
      .enum(PROBLEM_CODES)
      .meta({ description: "What is wrong, for a program: the last part of `type`." }),
    errors: z
      .array(fieldErrorAnswer)
      .optional()
      .meta({ description: "With `invalid_input`: every value that is wrong, all of them at once." }),
    retryAfterSeconds: z.int().optional().meta({ description: "With `rate_limited`." }),
  })
  .meta({ id: "Problem" });

export const healthAnswer = z
  .object({
    ok: z.literal(true),
    database: z.literal("reachable"),
    sweep: z
      .object({
        ageMs: z
          .int()
          .nullable()
          .meta({ description: "Since the last sweep; null when there was none yet." }),
        overdue: z.boolean(),
      })
      .meta({ description: "What heals after a crash. An overdue one is started by this request." }),
    outbox: z.object({
      waiting: count.meta({ description: "Events past their time that wait for the engine." }),
    }),
  })
  .meta({ id: "Health" });

export const unhealthyAnswer = z.object({
  ok: z.literal(false),
  database: z.enum(["unreachable", "read-only", "full"]),
});

/** What an erasure came to. */
export const erasedAnswer = z
  .object({
    reminders: count,
    addresses: count,
    ended: count.meta({ description: "Deliveries that waited and ended as `erased`." }),
  })
  .meta({ id: "Erased" });

/** Everything about a person, table by table, as it is stored. */
export const personalDataAnswer = z.record(z.string(), z.unknown()).meta({ id: "PersonalData" });
