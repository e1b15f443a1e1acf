import { connect } from "node:net";
import type { Browser, BrowserContext } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { headerValue, MARKUP, text } from "../app/fuzz/inputs";
import { projectPaths } from "../repo/source-files";
import { Dice } from "../simulation/dice";
import { launchBrowser } from "../support/browser";
import { type Stack, startStack } from "../support/stack";
import { signInAs } from "./operators";

/** What production answers over HTTP itself, Next and its server included: the in-process tests pass those by. */
const INPUTS = Number(process.env.FUZZ_WIRE_INPUTS ?? 600);
/** One seed, so that a change breaks it and not chance; another is tried by naming it. */
const SEED = process.env.FUZZ_SEED ?? "52202";

const MISSING = "00000000-0000-4000-8000-000000000000";

let stack: Stack;
let browser: Browser;
let operator: BrowserContext;
let cookie = "";

beforeAll(async () => {
  stack = await startStack(inject("testDatabases"));
  browser = await launchBrowser();
  ({ context: operator } = await signInAs(browser, stack, "operator"));
  cookie = (await operator.cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
});

afterAll(async () => {
  await browser?.close();
  await stack?.stop();
});

/** The address of every page and handler of the code, with parameters that name nothing. */
const addresses = projectPaths()
  .filter((path) => /^app\/.*\/?(page\.tsx|route\.ts)$/.test(path))
  .map((path) => {
    const segments = path.split("/").slice(1, -1);
    const shown = segments.filter((segment) => !segment.startsWith("("));
    return `/${shown.map((segment) => segment.replace(/^\[.*\]$/, MISSING)).join("/")}`;
  });

describe("every page and handler answers with the headers that keep browsers from harm", () => {
  test.each(addresses)("%s", async (address) => {
    const response = await fetch(`${stack.app}${address}`, { headers: { cookie }, redirect: "manual" });
    const { headers } = response;
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("x-powered-by")).toBeNull();
    expect(response.status).toBeLessThan(500);
    // The engine alone calls this one, and it is no page.
    if (address === "/api/inngest") return;
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("object-src 'none'");
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("referrer-policy")).toBe("same-origin");
    if (!(headers.get("content-type") ?? "").startsWith("text/html")) return;
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1];
    const html = await response.text();
    for (const [script] of html.matchAll(/<script\b[^>]*>/g)) expect(script).toContain(`nonce="${nonce}"`);
    expect(html).not.toMatch(/<[^>]+\son(error|load|click)\s*=/i);
  });

  test("the nonce is another one for every answer", async () => {
    const policies = [];
    for (let count = 0; count < 3; count += 1)
      policies.push((await fetch(`${stack.app}/sign-in`)).headers.get("content-security-policy"));
    expect(new Set(policies).size).toBe(3);
  });

  test("a registration at the engine never takes its address from the request", async () => {
    const asked = await raw("PUT /api/inngest HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 0\r\n");
    expect(asked).toMatch(/^HTTP\/1\.1 [24]\d\d/);
    const known = await (await fetch(`${stack.engine}/functions`)).text();
    expect(known).not.toContain("evil.example");
  });
});

test("no address, query, header or body makes the server fail, echo markup or add a header", async () => {
  const dice = new Dice(`wire ${SEED}`);
  const faults: string[] = [];
  for (let number = 0; number < INPUTS && faults.length < 20; number += 1) {
    const request = requestOf(dice);
    const answer = await raw(request);
    const [head = "", ...rest] = answer.split("\r\n\r\n");
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0);
    const body = rest.join("\r\n\r\n");
    const isJson = /content-type: application\/(problem\+)?json/i.test(head);
    const found = [
      ...(status >= 500 && status !== 501 ? [`answered ${status}`] : []),
      ...(body.includes(MARKUP) && !isJson ? ["echoed markup"] : []),
      ...(/^(set-cookie: a=b|bcc:)/im.test(head) ? ["took a header"] : []),
      ...(/^location: (https?:)?\/\/(?!127\.0\.0\.1)/im.test(head) ? [`led to ${head}`] : []),
    ];
    faults.push(...found.map((fault) => `${fault}\n${request.slice(0, 1_000)}`));
  }
  expect(faults, `FUZZ_SEED=${SEED}`).toEqual([]);
});

const SAFE = /[^\x21-\x7e]/g;

function requestOf(dice: Dice): string {
  const method = dice.pick(["GET", "GET", "GET", "POST", "PUT", "HEAD", "OPTIONS", "DELETE", "PATCH"]);
  const path = dice.pick(addresses).replaceAll(MISSING, () => (dice.chance(0.6) ? segment(dice) : MISSING));
  const query = dice.chance(0.6)
    ? `?${dice.pick(["title", "next", "month", "for", "q"])}=${segment(dice)}`
    : "";
  const odd = [
    ...["next-action", "rsc", "next-router-state-tree", "next-url", "x-middleware-subrequest", "accept"],
    ...["x-forwarded-host", "x-forwarded-proto", "origin", "content-type", "accept-language", "range"],
  ];
  const headers = [`Host: 127.0.0.1`, ...(dice.chance(0.6) ? [`Cookie: ${cookie}`] : [])];
  while (dice.chance(0.5)) headers.push(`${dice.pick(odd)}: ${headerValue(dice).slice(0, 500)}`);
  const body = method === "POST" || method === "PUT" || method === "PATCH" ? text(dice).slice(0, 5_000) : "";
  const bytes = Buffer.from(body.toWellFormed());
  const start = `${method} ${path}${query} HTTP/1.1\r\n${headers.join("\r\n")}\r\nContent-Length: ${bytes.length}\r\n`;
  return `${start}\r\n${bytes.toString("latin1")}`;
}

/** Text as it may stand in an address: encoded, half encoded, or as it is. */
function segment(dice: Dice): string {
  const one = text(dice).slice(0, 300);
  return dice.chance(0.7)
    ? encodeURIComponent(one.toWellFormed())
    : one.replace(SAFE, "").replace(/[\s#]/g, "");
}

/** Sends bytes as they are, and returns what comes back until the server ends it. */
function raw(request: string): Promise<string> {
  const [head = "", ...rest] = request.split("\r\n\r\n");
  const { port } = new URL(stack.app);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), "127.0.0.1");
    const chunks: Buffer[] = [];
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("error", reject);
    socket.on("close", () => resolve(Buffer.concat(chunks).toString("utf8")));
    const lines = `${head.replace(/\r\n$/, "")}\r\nConnection: close\r\n\r\n`;
    socket.write(Buffer.from(`${lines}${rest.join("\r\n\r\n")}`, "latin1"));
  });
}
