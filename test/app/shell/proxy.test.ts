import { NextRequest } from "next/server";
import { describe, expect, test } from "vitest";
import { proxy } from "../../../proxy";

const HOST = "punctual.example";

function ask(method: string, path: string, headers: Record<string, string>): number {
  return proxy(new NextRequest(`https://${HOST}${path}`, { method, headers: { host: HOST, ...headers } }))
    .status;
}

describe("a form on another site", () => {
  test.each([
    ["names its site", { origin: "https://evil.example" }],
    ["hides its site", { origin: "null" }],
    ["has a site whose name begins like ours", { origin: `https://${HOST}.evil.example` }],
    ["is on another port of ours", { origin: `https://${HOST}:8443` }],
    ["has no origin and is told by the browser to be foreign", { "sec-fetch-site": "cross-site" }],
    ["names our site in the wrong header", { origin: "https://evil.example", referer: `https://${HOST}/` }],
  ])("that %s sends nothing to a page, with any method that changes something", (_what, headers) => {
    for (const method of ["POST", "PUT", "PATCH", "DELETE"])
      for (const path of ["/sign-in", "/settings", "/ops/cleanup/switch", "/r/token"])
        expect(ask(method, path, headers)).toBe(403);
  });

  test("may lead here: reading changes nothing", () => {
    expect(
      ask("GET", "/reminders/new", { origin: "https://evil.example", "sec-fetch-site": "cross-site" }),
    ).toBe(200);
  });
});

test("our own forms pass, also through a proxy that calls us by another name, and so do programs without an origin", () => {
  expect(ask("POST", "/settings", { origin: `https://${HOST}`, "sec-fetch-site": "same-origin" })).toBe(200);
  expect(
    ask("POST", "/settings", { host: "10.0.0.7:3000", "x-forwarded-host": HOST, origin: `https://${HOST}` }),
  ).toBe(200);
  expect(ask("POST", "/settings", {})).toBe(200);
});

test("handlers, which look for themselves, get whatever comes: a mail program posts from anywhere", () => {
  expect(ask("POST", "/api/unsubscribe/token", { origin: "null", "sec-fetch-site": "cross-site" })).toBe(200);
});
