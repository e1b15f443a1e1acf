import { type NextRequest, NextResponse } from "next/server";
import { contentSecurityPolicy, securityHeaders } from "./app/_shell/security-headers";
import { effects } from "./db/effects";

/**
 * Puts the security headers on every answer that is not a file; Next takes the nonce for its scripts from the policy. An
 * address that cannot be decoded names nothing, and an `Origin` that is none comes from no browser: both are refused
 * before Next fails over them. So is a form that another site sends to a page: Next refuses it as well, as a failure.
 */
export function proxy(request: NextRequest): NextResponse {
  const page = {
    nonce: Buffer.from(effects.newId()).toString("base64"),
    https: process.env.APP_URL?.startsWith("https://") === true,
    development: process.env.NODE_ENV === "development",
  };
  const policy = contentSecurityPolicy(page);
  const headers = new Headers(request.headers);
  headers.set("content-security-policy", policy);
  const refused = whyNot(request);
  const response =
    refused === null
      ? NextResponse.next({ request: { headers } })
      : new NextResponse(`${refused.why}\n`, { status: refused.status });
  response.headers.set("content-security-policy", policy);
  for (const [name, value] of Object.entries(securityHeaders(page))) response.headers.set(name, value);
  return response;
}

function whyNot(request: NextRequest): { status: number; why: string } | null {
  if (!isAddress(request.nextUrl.pathname)) return { status: 400, why: "This is no address." };
  const origin = request.headers.get("origin");
  if (origin !== null && origin !== "null" && !URL.canParse(origin))
    return { status: 400, why: "Origin: this is no origin." };
  if (isSentFromElsewhere(request)) return { status: 403, why: "This is for our own pages only." };
  return null;
}

/**
 * A browser names the site that a form comes from (Fetch, "append a request Origin header"), and calls it `null` where it
 * hides it. Handlers under `/api` ask for a key, a signature or a token, or look at the origin themselves.
 */
function isSentFromElsewhere({ method, headers, nextUrl }: NextRequest): boolean {
  if (method === "GET" || method === "HEAD" || nextUrl.pathname.startsWith("/api/")) return false;
  if (headers.get("sec-fetch-site") === "cross-site") return true;
  const origin = headers.get("origin");
  if (origin === null) return false;
  const host = headers.get("x-forwarded-host") ?? headers.get("host");
  return origin === "null" || new URL(origin).host !== host;
}

function isAddress(pathname: string): boolean {
  try {
    return decodeURIComponent(pathname) !== "";
  } catch {
    return false;
  }
}

export const config = {
  // Files are the same for everybody and carry no markup. Inngest's calls are steps with bodies that nobody need copy. What
  // programs post to all day are plain addresses with a handler that asks for a key: passing here would be an eighth of
  // what the process spends on one. Their headers are those of `next.config.ts`.
  matcher: [
    "/((?!_next/static|_next/image|api/inngest|api/v1/reminders$|api/v1/notices$|api/v1/shipments/events$).*)",
  ],
};
