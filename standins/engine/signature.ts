import { createHash, createHmac } from "node:crypto";

/** JSON with sorted keys (RFC 8785 for the values JSON.parse yields): what both sides sign. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`);
  return `{${fields.join(",")}}`;
}

/** The value of `X-Inngest-Signature` for a canonical body, with a time the app checks to 5 minutes. */
export function signBody(body: string, signingKey: string, nowMs: number): string {
  const seconds = Math.floor(nowMs / 1000);
  const signature = createHmac("sha256", withoutPrefix(signingKey)).update(`${body}${seconds}`).digest("hex");
  return `t=${seconds}&s=${signature}`;
}

/** What an app that knows the signing key sends as its bearer token. */
export function bearerOf(signingKey: string): string {
  const prefix = /^signkey-\w+-/.exec(signingKey)?.[0] ?? "";
  const digest = createHash("sha256")
    .update(Buffer.from(withoutPrefix(signingKey), "hex"))
    .digest("hex");
  return `${prefix}${digest}`;
}

function withoutPrefix(signingKey: string): string {
  return signingKey.replace(/^signkey-\w+-/, "");
}
