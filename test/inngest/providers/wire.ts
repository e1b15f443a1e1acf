import type { WireAnswer } from "../../../inngest/providers/exchange";

/** An answer as a classifier sees it: a text, or a value to be written as JSON, or nothing that arrived (null). */
export function wire(status: number, body: unknown = "", headers: Record<string, string> = {}): WireAnswer {
  const text = body === null || typeof body === "string" ? body : JSON.stringify(body);
  return { status, headers: { date: "Mon, 30 Nov 2026 12:00:00 GMT", ...headers }, body: text };
}

/** Answers that are no evidence of anything, although their status is a success (cases C5). */
export const HOLLOW_SUCCESSES: [string, WireAnswer][] = [
  ["200 with an HTML login page", wire(200, "<html><title>Sign in</title></html>")],
  ["200 with an error inside", wire(200, { ok: false, error: "rate_limited" })],
  [
    "200 with a batch's failure",
    wire(200, { success: 0, failure: 1, results: [{ error: "MessageTooBig" }] }),
  ],
  ["200 with an empty body", wire(200)],
  ["200 with JSON null", wire(200, "null")],
  ["200 with half a text", wire(200, '{"id":"49a3')],
  ["200 with a body that was cut off", wire(200, null)],
  ["204", wire(204)],
  ["302", wire(302, "", { location: "https://portal.example/login" })],
];
