import { type NextRequest, NextResponse } from "next/server";
import { contentSecurityPolicy, securityHeaders } from "./app/_shell/security-headers";
import { effects } from "./db/effects";

/**
 * Puts the security headers on every answer that is not a file; Next takes the nonce for its scripts from the policy. An
 * address that cannot be decoded names nothing, and an `Origin` that is none comes from no browser: both are refused
 * before Next fails over them.
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
      : new NextResponse(`${refused}\n`, { status: 400 });
  response.headers.set("content-security-policy", policy);
  for (const [name, value] of Object.entries(securityHeaders(page))) response.headers.set(name, value);
  return response;
}

function whyNot(request: NextRequest): string | null {
  if (!isAddress(request.nextUrl.pathname)) return "This is no address.";
  const origin = request.headers.get("origin");
  if (origin !== null && origin !== "null" && !URL.canParse(origin)) return "Origin: this is no origin.";
  return null;
}

function isAddress(pathname: string): boolean {
  try {
    return decodeURIComponent(pathname) !== "";
  } catch {
    return false;
  }
}

export const config = {
  // Files are the same for everybody and carry no markup. Inngest's calls are steps with bodies that nobody need copy.
  matcher: ["/((?!_next/static|_next/image|api/inngest).*)"],
};
