/** The providers this server stands in for; also the first path segment of each. */
export const PROVIDERS = ["resend", "twilio", "push"] as const;
export type ProviderName = (typeof PROVIDERS)[number];

/** Narrows a path segment or query value to a provider's name. */
export function isProvider(value: unknown): value is ProviderName {
  return PROVIDERS.includes(value as ProviderName);
}

/**
 * What happens on the wire instead of a complete answer: `hang` never answers, `reset` is an RST after the request
 * was read, `close` a FIN after it was read, `truncate` headers and part of a body, `refuse` a connection that never
 * came to be (a socket server cannot do that for one path and resets instead).
 */
export type Break = { break: "hang" | "reset" | "close" | "truncate" | "refuse"; response?: Response };

/** An answer in the making: one text body, header names in lower case. */
export type Answer = { status: number; headers: Record<string, string>; body: string };

/** Statuses that carry no body by definition; a Response with one cannot be built. */
const BODILESS = new Set([204, 205, 304]);

/** A JSON answer. */
export function json(status: number, value: unknown, headers: Record<string, string> = {}): Answer {
  const contentType = "application/json; charset=utf-8";
  return { status, headers: { "content-type": contentType, ...headers }, body: JSON.stringify(value) };
}

/** An HTML answer. */
export function html(status: number, body: string, headers: Record<string, string> = {}): Answer {
  return { status, headers: { "content-type": "text/html; charset=utf-8", ...headers }, body };
}

/** A plain text answer. */
export function text(status: number, body: string, headers: Record<string, string> = {}): Answer {
  return { status, headers: { "content-type": "text/plain; charset=utf-8", ...headers }, body };
}

/** An answer without a body. */
export function empty(status: number, headers: Record<string, string> = {}): Answer {
  return { status, headers, body: "" };
}

/** An RFC 9457 problem document, the error form of the stand-in's own control addresses. */
export function problem(status: number, detail: string, extra: Record<string, unknown> = {}): Answer {
  const title = status === 404 ? "Not found" : status === 405 ? "Method not allowed" : "Cannot be processed";
  const body = { type: "about:blank", title, status, detail, ...extra };
  return json(status, body, { "content-type": "application/problem+json" });
}

/** A See Other answer, the end of every form of the inbox page. */
export function seeOther(location: string): Answer {
  return empty(303, { location });
}

/** Whether the status is 2xx. */
export function isSuccess(answer: Answer): boolean {
  return answer.status >= 200 && answer.status < 300;
}

/** An HTTP-date (RFC 9110 section 5.6.7) of an instant in epoch milliseconds, cut to whole seconds. */
export function httpDate(atMs: number): string {
  return new Date(atMs).toUTCString();
}

/** The web-standard form of an answer, with the `Date` of the stand-in's own clock. */
export function toResponse(answer: Answer, nowMs: number): Response {
  // A Response built from an empty text would claim to be text/plain.
  const body = BODILESS.has(answer.status) || answer.body === "" ? null : answer.body;
  return new Response(body, { status: answer.status, headers: { date: httpDate(nowMs), ...answer.headers } });
}
