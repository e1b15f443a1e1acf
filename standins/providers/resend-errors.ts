import { type Answer, json } from "./answer";

/** Resend's error names with their status and usual message (https://resend.com/docs/api-reference/errors). */
export const RESEND_ERRORS: ReadonlyMap<string, { status: number; message: string }> = new Map([
  ["validation_error", { status: 400, message: "We found an error with one or more fields in the request." }],
  ["invalid_idempotency_key", { status: 400, message: "The key must be between 1-256 chars." }],
  ["missing_api_key", { status: 401, message: "Missing API Key" }],
  ["restricted_api_key", { status: 401, message: "This API key is restricted to only send emails" }],
  ["invalid_api_key", { status: 403, message: "API key is invalid" }],
  ["suspended_api_key", { status: 403, message: "This API key is suspended" }],
  ["not_found", { status: 404, message: "The requested endpoint does not exist." }],
  [
    "method_not_allowed",
    { status: 405, message: "This endpoint does not support the specified HTTP method." },
  ],
  [
    "concurrent_idempotent_requests",
    { status: 409, message: "Same idempotency key used while original request is still in progress." },
  ],
  [
    "invalid_idempotent_request",
    { status: 409, message: "Same idempotency key used with a different request payload." },
  ],
  [
    "missing_required_field",
    { status: 422, message: "The request body is missing one or more required fields." },
  ],
  ["invalid_attachment", { status: 422, message: "Attachment must have either a `content` or `path`." }],
  [
    "invalid_from_address",
    {
      status: 422,
      message:
        "Invalid `from` field. The email address needs to follow the `email@example.com` or `Name <email@example.com>` format.",
    },
  ],
  ["invalid_access", { status: 422, message: "Access must be `full_access` or `sending_access`." }],
  ["invalid_parameter", { status: 422, message: "The parameter must be a valid UUID." }],
  ["invalid_region", { status: 422, message: "Region must be one of the supported regions." }],
  [
    "rate_limit_exceeded",
    { status: 429, message: "Too many requests. Please limit the number of requests per second." },
  ],
  ["daily_quota_exceeded", { status: 429, message: "You have reached your daily email sending quota." }],
  ["monthly_quota_exceeded", { status: 429, message: "You have reached your monthly email sending quota." }],
  ["security_error", { status: 451, message: "We may have found a security issue with the request." }],
  ["application_error", { status: 500, message: "An unexpected error occurred." }],
  ["internal_server_error", { status: 500, message: "An unexpected error occurred." }],
]);

/** An error body as Resend writes it; status and message default to the name's own. */
export function resendError(
  name: string,
  overrides: { status?: number; message?: string; headers?: Record<string, string> } = {},
): Answer {
  const known = RESEND_ERRORS.get(name) ?? { status: 500, message: "An unexpected error occurred." };
  const status = overrides.status ?? known.status;
  const message = overrides.message ?? known.message;
  return json(status, { statusCode: status, name, message }, overrides.headers);
}
