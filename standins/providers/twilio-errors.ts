import { type Answer, json } from "./answer";

/** Codes Twilio answers a request with: HTTP status and message (https://www.twilio.com/docs/api/errors). */
export const TWILIO_ERRORS: ReadonlyMap<number, { status: number; message: string }> = new Map([
  [20003, { status: 401, message: "Authenticate" }],
  [20005, { status: 403, message: "Account not active" }],
  [20404, { status: 404, message: "The requested resource was not found" }],
  [20429, { status: 429, message: "Too Many Requests" }],
  [20500, { status: 500, message: "Internal Server Error" }],
  [20503, { status: 503, message: "Service unavailable" }],
  [21211, { status: 400, message: "The 'To' number is not a valid phone number." }],
  [
    21212,
    {
      status: 400,
      message: "The 'From' number is not a valid phone number, shortcode, or alphanumeric sender ID.",
    },
  ],
  [21217, { status: 400, message: "Phone number does not appear to be valid" }],
  [
    21408,
    {
      status: 400,
      message: "Permission to send an SMS has not been enabled for the region indicated by the 'To' number.",
    },
  ],
  [21602, { status: 400, message: "Message body is required." }],
  [
    21603,
    { status: 400, message: "A 'From' or 'MessagingServiceSid' parameter is required to send a message." },
  ],
  [21604, { status: 400, message: "A 'To' phone number is required." }],
  [
    21606,
    {
      status: 400,
      message:
        "The 'From' phone number provided is not a valid message-capable Twilio phone number for this destination.",
    },
  ],
  [
    21608,
    {
      status: 400,
      message: "The number is unverified. Trial accounts cannot send messages to unverified numbers.",
    },
  ],
  [21609, { status: 400, message: "The 'StatusCallback' URL is not a valid URL." }],
  [21610, { status: 400, message: "Attempt to send to unsubscribed recipient" }],
  [21611, { status: 400, message: "This 'From' number has exceeded the maximum number of queued messages" }],
  [21612, { status: 400, message: "The 'To' phone number is not currently reachable via SMS." }],
  [21614, { status: 400, message: "'To' number is not a valid mobile number" }],
  [21617, { status: 400, message: "The concatenated message body exceeds the 1600 character limit." }],
  [21619, { status: 400, message: "A text message body or media urls must be specified." }],
  [21620, { status: 400, message: "Invalid media URL(s)" }],
  [21624, { status: 400, message: "Invalid validity period value" }],
  [21635, { status: 400, message: "'To' number cannot be a landline" }],
  [
    21703,
    {
      status: 400,
      message: "The Messaging Service does not have a phone number available to send a message",
    },
  ],
  [21704, { status: 400, message: "The Messaging Service contains no phone numbers" }],
  [21705, { status: 400, message: "The Messaging Service Sid is invalid" }],
  [63018, { status: 429, message: "Rate limit exceeded for Channel" }],
  [63038, { status: 429, message: "Account exceeded the daily messages limit" }],
]);

/** Codes that arrive by status callback after a 201, with the final status they come with. */
export const LATE_CODES: ReadonlyMap<number, "failed" | "undelivered"> = new Map([
  [14107, "failed"],
  [30001, "failed"],
  [30002, "failed"],
  [30003, "undelivered"],
  [30004, "undelivered"],
  [30005, "undelivered"],
  [30006, "undelivered"],
  [30007, "undelivered"],
  [30008, "undelivered"],
  [30017, "undelivered"],
  [30018, "undelivered"],
  [30022, "undelivered"],
  [30023, "undelivered"],
  [30024, "undelivered"],
  [30032, "undelivered"],
  [30034, "undelivered"],
  [30035, "undelivered"],
  [30036, "failed"],
  [30410, "undelivered"],
  [30450, "failed"],
  [63018, "failed"],
]);

/** An error body as Twilio writes it. */
export function twilioError(code: number, headers: Record<string, string> = {}, ownMessage?: string): Answer {
  const { status, message } = TWILIO_ERRORS.get(code) ?? { status: 400, message: "Bad request" };
  const moreInfo = `https://www.twilio.com/docs/errors/${code}`;
  return json(status, { code, message: ownMessage ?? message, more_info: moreInfo, status }, headers);
}
