import { z } from "zod";

/** What a payload row keeps for a channel: rendered once, sent as it is by every attempt, retry and redrive. */
export const emailContent = z.object({
  /** Whom it is from: stored beside the text, so that a change of the setting changes no message that was rendered. */
  from: z.string().min(1).optional(),
  subject: z.string().min(1),
  html: z.string().min(1),
  text: z.string().min(1),
  /** The one-click address of RFC 8058; codes have none. */
  unsubscribeUrl: z.string().min(1).optional(),
  /** What is sent to many marks the place of its reader's token; the tokens are made of this key. */
  linkKey: z.string().min(1).optional(),
});
export const smsContent = z.object({
  text: z.string().min(1),
  /** As the carrier bills it; the cost of the send against the meter. */
  segments: z.number().int().min(1),
});
export const pushContent = z.object({
  title: z.string().min(1),
  body: z.string(),
  /** Where a click on the notification leads. */
  url: z.string().min(1),
  /** Lets the buttons act without a session. */
  token: z.string().min(1).optional(),
  actions: z.array(z.object({ action: z.enum(["done", "snooze"]), title: z.string().min(1) })).optional(),
});

export type EmailContent = z.infer<typeof emailContent>;
export type SmsContent = z.infer<typeof smsContent>;
export type PushContent = z.infer<typeof pushContent>;
export type MessageContent = EmailContent | SmsContent | PushContent;
