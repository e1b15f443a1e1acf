import { z } from "zod";
import { checked } from "./parse-body";
import { checkRecurrence } from "./recurrence-parts";
import { checkUrl, URL_MAX_CHARACTERS } from "./text";

/** A day: longer than that a second channel does not chase the first, it is another reminder. */
export const STEP_MINUTES_MAX = 1440;

const repeat = checked(
  z.string({ error: "a repetition rule, or null" }).meta({
    example: "FREQ=WEEKLY;BYDAY=MO,WE,FR",
    description:
      "How it repeats (RFC 5545): FREQ, INTERVAL, BYDAY with WEEKLY, and COUNT or UNTIL. The first is the first at or after `dueAt`; a month without the day takes its last day.",
  }),
  checkRecurrence,
);
const floating = z.boolean({ error: "true or false" }).meta({
  description: "Whether the wall time holds wherever the subscriber is: the zone follows the subscriber's.",
});
const throughQuietHours = z
  .boolean({ error: "true or false" })
  .meta({ description: "Whether the subscriber wants it in quiet hours too." });
const STEP_ACCEPTED = `a whole number of minutes from 1 to ${STEP_MINUTES_MAX}, or null`;
const nextChannelAfterMinutes = z
  .int({ error: STEP_ACCEPTED })
  .min(1, { error: STEP_ACCEPTED })
  .max(STEP_MINUTES_MAX, { error: STEP_ACCEPTED })
  .meta({
    description:
      "One channel after the other, in the order of `channels`, until it is opened or done; absent or null: all at once.",
  });
const shopCheck = checked(
  z.string({ error: "a link that starts with https:// or http://" }).meta({
    format: "uri",
    maxLength: URL_MAX_CHARACTERS,
    description:
      'Asked when it is due, on a host that this installation allows: an answer of {"relevant": false} drops it; no answer within 2 seconds does not.',
  }),
  checkUrl,
);

/** What a new reminder may say of its repetition and its ways, beside what every reminder says. */
export const repetition = {
  repeat: repeat.nullish().transform((value) => value ?? null),
  floating: floating.default(false),
  throughQuietHours: throughQuietHours.default(false),
  nextChannelAfterMinutes: nextChannelAfterMinutes.nullish().transform((value) => value ?? null),
  checkUrl: shopCheck.nullish().transform((value) => value ?? null),
};

/** The same for an edit: absent leaves, null removes. */
export const repetitionPatch = {
  repeat: repeat.nullish(),
  floating: floating.optional(),
  throughQuietHours: throughQuietHours.optional(),
  nextChannelAfterMinutes: nextChannelAfterMinutes.nullish(),
  checkUrl: shopCheck.nullish(),
};
