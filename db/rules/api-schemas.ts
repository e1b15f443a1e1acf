import { z } from "zod";
import { checkDueAtForm, checkTimeZone, type DueAtInput } from "./due-time";
import { checkEmailAddress } from "./email-address";
import { invalid, ok, type Result } from "./errors";
import { addCheckIssue, type Check, checked, closedObject } from "./parse-body";
import { checkPhone } from "./phone";
import { repetition, repetitionPatch } from "./repetition-schemas";
import { checkText, checkUrl, URL_MAX_CHARACTERS } from "./text";

export { parseBody, readQuery } from "./parse-body";

/** A title is one line on a lock screen and the subject of a mail; both cut it long before this. */
export const TITLE_MAX_CHARACTERS = 200;
/** A note is a paragraph or two in a mail; SMS and push carry its beginning. */
export const NOTE_MAX_CHARACTERS = 2000;
/** A reminder is of no use a day after its time, unless its maker says otherwise. */
export const DEFAULT_EXPIRES_AFTER_SECONDS = 86_400;
/** Expiry is found by a sweep once a minute: a shorter usefulness could not be kept. */
export const SHORTEST_EXPIRES_AFTER_SECONDS = 60;
/** A week: later than that it is last week's news, and dead letters can be redriven for twice as long only. */
export const LONGEST_EXPIRES_AFTER_SECONDS = 604_800;
/** A week in minutes: a longer snooze is a new date, and is given as `dueAt`. */
export const LONGEST_SNOOZE_MINUTES = 10_080;
/** More browsers than one person has in use; every one of them is a delivery of its own. */
export const MOST_PUSH_SUBSCRIPTIONS = 20;
/** One screen of a list. */
export const DEFAULT_PAGE_SIZE = 50;
/** Keeps a page of the longest reminders under a megabyte. */
export const LARGEST_PAGE_SIZE = 200;
/** BCP 47 section 4.4.1: room for every tag without private extensions. */
const LOCALE_MAX_CHARACTERS = 35;
/** A shop's own id is a UUID, a number or an address; the column holds 200 characters. */
const EXTERNAL_ID_MAX_CHARACTERS = 200;

/** Channels, in the order in which they are shown. */
export const CHANNELS = ["email", "sms", "push"] as const;
export const REMINDER_STATUSES = ["active", "paused", "done", "cancelled"] as const;

/** Checks the shop's own id of a subscriber: visible ASCII without spaces, so that it survives URLs and logs. */
export function checkExternalId(field: string, value: unknown): Result<string> {
  const fits =
    typeof value === "string" && value.length <= EXTERNAL_ID_MAX_CHARACTERS && /^[\x21-\x7e]+$/.test(value);
  return fits
    ? ok(value)
    : invalid(field, value, `1 to ${EXTERNAL_ID_MAX_CHARACTERS} ASCII characters without spaces`);
}

/** Checks a BCP 47 language tag and returns it in canonical case (`de-at` → `de-AT`). */
export function checkLocale(field: string, value: unknown): Result<string> {
  const accepted = 'a language tag, such as "en" or "de-AT"';
  if (typeof value !== "string" || value.length > LOCALE_MAX_CHARACTERS)
    return invalid(field, value, accepted);
  try {
    const [tag] = Intl.getCanonicalLocales(value);
    return tag === undefined ? invalid(field, value, accepted) : ok(tag);
  } catch {
    return invalid(field, value, accepted);
  }
}

const line = (maxLength: number): Check<string> => {
  return (field, value) => checkText(field, value, { maxLength, required: true, multiline: false });
};
const optionalNote: Check<string> = (field, value) =>
  checkText(field, value, { maxLength: NOTE_MAX_CHARACTERS, required: false, multiline: true });

const title = checked(
  z
    .string({ error: `one line of text of 1 to ${TITLE_MAX_CHARACTERS} characters` })
    .meta({ minLength: 1, maxLength: TITLE_MAX_CHARACTERS, example: "Pay the rent" }),
  line(TITLE_MAX_CHARACTERS),
);
const note = checked(
  z
    .string({ error: `text of at most ${NOTE_MAX_CHARACTERS} characters` })
    .meta({ maxLength: NOTE_MAX_CHARACTERS, description: "May have several lines; blank is none." }),
  optionalNote,
).transform((text) => (text === "" ? null : text));
export const url = checked(
  z
    .string({ error: "a link that starts with https:// or http://" })
    .meta({ format: "uri", maxLength: URL_MAX_CHARACTERS }),
  checkUrl,
);
export const externalId = checked(
  z.string({ error: "the shop's id of the subscriber" }).meta({
    minLength: 1,
    maxLength: EXTERNAL_ID_MAX_CHARACTERS,
    description: "The shop's own id of the subscriber.",
  }),
  checkExternalId,
);
const timeZone = checked(
  z.string({ error: 'an IANA time zone name, such as "Europe/Berlin"' }).meta({ example: "Europe/Berlin" }),
  checkTimeZone,
);

/** The form only: the verb turns it into an instant, with the clock and the subscriber's zone (`resolveDueAt`). */
const dueAt = checked<unknown, DueAtInput>(
  z.unknown().meta({
    description: "An instant with an offset, or a wall time with its zone. A time without either is refused.",
    oneOf: [
      { type: "string", format: "date-time", example: "2026-12-24T09:00:00+01:00" },
      {
        type: "object",
        properties: {
          local: { type: "string", example: "2026-12-24T09:00" },
          timeZone: { type: "string", example: "Europe/Berlin" },
        },
        required: ["local", "timeZone"],
        additionalProperties: false,
      },
    ],
  }),
  checkDueAtForm,
);

const CHANNELS_ACCEPTED = "a list of one or more of email, sms and push, each once";
export const channels = z
  .array(z.enum(CHANNELS, { error: "email, sms or push" }), { error: CHANNELS_ACCEPTED })
  .min(1, { error: CHANNELS_ACCEPTED })
  .refine((list) => new Set(list).size === list.length, { error: CHANNELS_ACCEPTED })
  .meta({ uniqueItems: true, example: ["email", "push"] });

const EXPIRES_ACCEPTED = `a whole number of seconds from ${SHORTEST_EXPIRES_AFTER_SECONDS} to ${LONGEST_EXPIRES_AFTER_SECONDS}`;
const expiresAfterSeconds = z
  .int({ error: EXPIRES_ACCEPTED })
  .min(SHORTEST_EXPIRES_AFTER_SECONDS, { error: EXPIRES_ACCEPTED })
  .max(LONGEST_EXPIRES_AFTER_SECONDS, { error: EXPIRES_ACCEPTED })
  .meta({ description: "How long after its time a reminder is still of use." });

/** Body of `POST /api/v1/reminders`. `note` and `url` are null when absent, null or blank. */
export const createReminderBody = closedObject({
  subscriber: externalId,
  title,
  note: note.nullish().transform((value) => value ?? null),
  url: url.nullish().transform((value) => value ?? null),
  dueAt,
  channels,
  expiresAfterSeconds: expiresAfterSeconds.default(DEFAULT_EXPIRES_AFTER_SECONDS),
  ...repetition,
});
export type CreateReminderBody = z.output<typeof createReminderBody>;

/**
 * Body of `PATCH /api/v1/reminders/:id`. An absent key leaves the value; null or blank removes a note or link. An
 * empty body is a legal edit that changes nothing, so that it tells nothing about ids of others.
 */
export const editReminderBody = closedObject({
  title: title.optional(),
  note: note.nullish(),
  url: url.nullish(),
  dueAt: dueAt.optional(),
  channels: channels.optional(),
  expiresAfterSeconds: expiresAfterSeconds.optional(),
  ...repetitionPatch,
});
export type EditReminderBody = z.output<typeof editReminderBody>;

const SNOOZE_ACCEPTED = `a whole number of minutes from 1 to ${LONGEST_SNOOZE_MINUTES}`;
const minutes = z
  .int({ error: SNOOZE_ACCEPTED })
  .min(1, { error: SNOOZE_ACCEPTED })
  .max(LONGEST_SNOOZE_MINUTES, { error: SNOOZE_ACCEPTED });

export type SnoozeBody = { minutes: number } | { dueAt: DueAtInput };

/** Body of `POST /api/v1/reminders/:id/snooze`: either `minutes`, counted from the request's arrival, or `dueAt`. */
export const snoozeBody = closedObject({ minutes: minutes.optional(), dueAt: dueAt.optional() })
  .meta({ oneOf: [{ required: ["minutes"] }, { required: ["dueAt"] }] })
  .transform((body, ctx): SnoozeBody => {
    if (body.minutes !== undefined && body.dueAt === undefined) return { minutes: body.minutes };
    if (body.dueAt !== undefined && body.minutes === undefined) return { dueAt: body.dueAt };
    ctx.addIssue({ code: "custom", message: "either minutes or dueAt, and not both" });
    return z.NEVER;
  });

const checkLimit: Check<number> = (field, value) => {
  const limit = typeof value === "string" && /^\d{1,3}$/.test(value) ? Number(value) : 0;
  const fits = limit >= 1 && limit <= LARGEST_PAGE_SIZE;
  return fits ? ok(limit) : invalid(field, value, `a whole number from 1 to ${LARGEST_PAGE_SIZE}`);
};
const checkCursor: Check<string> = (field, value) => {
  const fits = typeof value === "string" && /^[\w-]{1,200}$/.test(value);
  return fits ? ok(value) : invalid(field, value, "the nextCursor of the page before");
};

/** Query of `GET /api/v1/reminders`, read by `readQuery`. */
export const listRemindersQuery = closedObject({
  subscriber: externalId.optional(),
  status: z.enum(REMINDER_STATUSES, { error: "active, paused, done or cancelled" }).optional(),
  cursor: checked(
    z.string({ error: "one cursor" }).meta({ description: "The `nextCursor` of the page before." }),
    checkCursor,
  ).optional(),
  limit: checked(
    z
      .string({ error: "one whole number" })
      .meta({ type: "integer", minimum: 1, maximum: LARGEST_PAGE_SIZE, default: DEFAULT_PAGE_SIZE }),
    checkLimit,
  ).default(DEFAULT_PAGE_SIZE),
});
export type ListRemindersQuery = z.output<typeof listRemindersQuery>;

/** A key of a push subscription is a secret of the device: an error does not repeat it. */
function pushKey(form: RegExp, accepted: string) {
  const check: Check<string> = (field, value) => {
    const key = typeof value === "string" ? value.replace(/={1,2}$/, "") : "";
    return form.test(key) ? ok(key) : invalid(field, "(not shown)", accepted);
  };
  return checked(z.string({ error: accepted }).meta({ description: accepted }), check);
}

/** A browser's `PushSubscription.toJSON()`. Which hosts are push services is the allow-list's business, not this one's. */
export const pushSubscriptionBody = closedObject({
  endpoint: url,
  expirationTime: z.number({ error: "null or epoch milliseconds" }).nullish(),
  keys: closedObject({
    // An uncompressed P-256 point: 65 bytes, the first of them 4 (RFC 8291 section 3.1).
    p256dh: pushKey(/^B[A-P][\w-]{85}$/, "an uncompressed P-256 public key in base64url"),
    // 16 bytes (RFC 8291 section 3.2).
    auth: pushKey(/^[\w-]{22}$/, "16 bytes in base64url"),
  }),
});

const VOUCHED = ["email", "phone"] as const;
type Vouched = (typeof VOUCHED)[number];

/** What the shop has verified itself: `true` is everything given, a list or an object names the fields. */
const checkVerified: Check<Vouched[]> = (field, value) => {
  if (typeof value === "boolean") return ok(value ? [...VOUCHED] : []);
  const entries: [unknown, unknown][] = Array.isArray(value)
    ? value.map((name) => [name, true])
    : Object.entries(Object(value));
  const isKnown = ([name, is]: [unknown, unknown]) =>
    VOUCHED.some((vouched) => vouched === name) && typeof is === "boolean";
  if (typeof value !== "object" || value === null || !entries.every(isKnown)) {
    return invalid(field, value, VERIFIED_ACCEPTED);
  }
  return ok(VOUCHED.filter((vouched) => entries.some(([name, is]) => name === vouched && is === true)));
};
const VERIFIED_ACCEPTED =
  'true, false, a list of "email" and "phone", or an object such as {"email": true, "phone": false}';

/**
 * Body of `PUT /api/v1/subscribers/:externalId`. An absent `email` or `phone` is left as it is, null removes it.
 * `country` (ISO 3166) is how a phone number without country code is read; it is not stored.
 */
export const putSubscriberBody = closedObject({
  email: checked(
    z.string({ error: 'an email address, such as "name@example.com"' }).meta({ format: "email" }),
    checkEmailAddress,
  ).nullish(),
  phone: z
    .string({ error: "a phone number with country code, or null" })
    .meta({ description: "With country code, or with `country`; stored as E.164.", example: "+12025550123" })
    .nullish(),
  country: z
    .string({ error: "a country code of two letters" })
    .regex(/^[A-Za-z]{2}$/, { error: "a country code of two letters" })
    .optional()
    .meta({ example: "DE", description: "How a phone number without country code is read." }),
  pushSubscriptions: z
    .array(pushSubscriptionBody, { error: "a list of push subscriptions" })
    .max(MOST_PUSH_SUBSCRIPTIONS, { error: `at most ${MOST_PUSH_SUBSCRIPTIONS} push subscriptions` })
    .optional()
    .meta({ description: "What a browser's `PushSubscription.toJSON()` gives." }),
  timeZone,
  locale: checked(z.string({ error: 'a language tag, such as "en" or "de-AT"' }), checkLocale).optional(),
  verified: checked<unknown, Vouched[]>(
    z.unknown().meta({
      description:
        "What the shop vouches for, of the addresses in this body: everything, a list of names, or each by name.",
      oneOf: [
        { type: "boolean" },
        { type: "array", items: { type: "string", enum: [...VOUCHED] } },
        {
          type: "object",
          properties: { email: { type: "boolean" }, phone: { type: "boolean" } },
          additionalProperties: false,
        },
      ],
    }),
    checkVerified,
  ).optional(),
})
  // `when`: a wrong phone number is told together with the other mistakes, not after them.
  .superRefine(normalisePhone, { when: ({ value }) => typeof value === "object" && value !== null });
export type PutSubscriberBody = z.output<typeof putSubscriberBody>;

function normalisePhone(
  body: { phone?: string | null; country?: string },
  ctx: z.core.$RefinementCtx<{ phone?: string | null; country?: string }>,
): void {
  const { phone, country } = body;
  if (typeof phone !== "string") return;
  const result = checkPhone("phone", phone, typeof country === "string" ? country : undefined);
  if (result.ok) body.phone = result.value;
  else addCheckIssue(ctx, ["phone"], (field) => checkPhone(field, phone, country));
}
