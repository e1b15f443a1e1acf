import { z } from "zod";
import { channels, externalId, url } from "./api-schemas";
import { checked, closedObject } from "./parse-body";
import { checkText } from "./text";

/** What the shop's backend may send at once, beside everything. Sign-in codes use the same verb, inside the app. */
export const NOTICE_TEMPLATES = ["password-reset", "fraud-alert", "account-security"] as const;
export type NoticeTemplate = (typeof NOTICE_TEMPLATES)[number];

/** Expiry is found by a sweep once a minute: a shorter usefulness could not be kept. */
const SHORTEST_SECONDS = 60;
/** A day: a security notice that comes later is a mail, not a notice. */
const LONGEST_SECONDS = 86_400;
/** As long as a reset link is usually valid. */
const DEFAULT_SECONDS = 3_600;
/** One line that says what happened. */
const DETAIL_MAX_CHARACTERS = 200;

const EXPIRES_ACCEPTED = `a whole number of seconds from ${SHORTEST_SECONDS} to ${LONGEST_SECONDS}`;

/** Body of `POST /api/v1/notices`. A password reset needs its link, the others a line that says what happened. */
export const noticeBody = closedObject({
  subscriber: externalId,
  template: z.enum(NOTICE_TEMPLATES, { error: NOTICE_TEMPLATES.join(", ") }),
  channels,
  detail: checked(
    z
      .string({ error: `one line of text of at most ${DETAIL_MAX_CHARACTERS} characters` })
      .meta({ maxLength: DETAIL_MAX_CHARACTERS, example: "A new device signed in from Lyon." }),
    (field, value) =>
      checkText(field, value, { maxLength: DETAIL_MAX_CHARACTERS, required: true, multiline: false }),
  ).optional(),
  url: url.optional(),
  expiresAfterSeconds: z
    .int({ error: EXPIRES_ACCEPTED })
    .min(SHORTEST_SECONDS, { error: EXPIRES_ACCEPTED })
    .max(LONGEST_SECONDS, { error: EXPIRES_ACCEPTED })
    .default(DEFAULT_SECONDS)
    .meta({ description: "How long it is of use; it is not sent later." }),
}).superRefine((body, ctx) => {
  if (body.template === "password-reset" && body.url === undefined) {
    ctx.addIssue({ code: "custom", path: ["url"], message: "the link with which the password is set" });
  }
  if (body.template !== "password-reset" && body.detail === undefined) {
    ctx.addIssue({ code: "custom", path: ["detail"], message: "one line that says what happened" });
  }
});
export type NoticeBody = z.output<typeof noticeBody>;
