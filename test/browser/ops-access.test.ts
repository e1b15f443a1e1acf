import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContext } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { entrancesOf, isConsoleFile } from "../repo/console-access";
import { codeFiles, ROOT } from "../repo/source-files";
import { launchBrowser } from "../support/browser";
import { fillDeliveries, fillPartition } from "../support/ledger-fill";
import { type Stack, startStack } from "../support/stack";
import { addressOf, consoleAddresses, type Subjects } from "./console-places";
import { signInAs, withDatabase } from "./operators";
import { visit } from "./visitor";

const KEY = "sms:twilio:AC1:+15005550006";

let stack: Stack;
let browser: Browser;
let reference = "";
const people: Partial<Record<"anonymous" | "shopper" | "viewer" | "operator", BrowserContext>> = {};

beforeAll(async () => {
  stack = await startStack(inject("testDatabases"));
  browser = await launchBrowser();
  people.anonymous = await visit(browser);
  for (const role of ["shopper", "viewer", "operator"] as const)
    people[role] = (await signInAs(browser, stack, role)).context;
  reference = await withDatabase(stack, async (sql) => {
    await fillPartition(sql, { key: KEY, channel: "sms", ceiling: 5 });
    // A subject that every page has something to say about.
    await fillDeliveries(sql, {
      count: 3,
      channel: "sms",
      partition: KEY,
      state: "dead",
      reason: "outcome_unknown",
      lastClass: "ambiguous",
      unresolved: true,
    });
    const [row] = await sql<
      { reference: string }[]
    >`select reference from deliveries where state = 'dead' limit 1`;
    return row?.reference ?? "";
  });
});

afterAll(async () => {
  await browser?.close();
  await stack?.stop();
});

/** Subjects that exist where there is one. */
const subjects = (): Subjects => ({
  "[key]": encodeURIComponent(KEY),
  "[reference]": reference,
  "[id]": "00000000-0000-4000-8000-000000000000",
});

interface Action {
  id: string;
  name: string;
  file: string;
  page: string;
  /** Of three arguments the first is its subject. */
  takes: number;
}

/** Every action of the console, as the build serves it: an address that anybody can post to. */
function actions(): Action[] {
  const manifest = JSON.parse(
    readFileSync(join(ROOT, ".next/server/server-reference-manifest.json"), "utf8"),
  ) as { node: Record<string, { workers: Record<string, unknown>; filename: string; exportedName: string }> };
  return Object.entries(manifest.node)
    .filter(([, { filename }]) => filename.startsWith("app/ops/"))
    .map(([id, { workers, filename, exportedName }]) => {
      const page = addressOf(Object.keys(workers)[0] ?? "", subjects());
      const inCode = codeFiles()
        .filter(({ path }) => path === filename)
        .flatMap(entrancesOf);
      const takes = inCode.find(({ name }) => name === exportedName)?.takes ?? 0;
      return { id, name: exportedName, file: filename, page, takes };
    });
}

/** What the actions' forms would send, all in one: each reads its own. */
const FIELDS = {
  reason: "because",
  for: "30m",
  ceiling: "4",
  burst: "1",
  concurrency: "5",
  lane: "bulk",
  weight: "2",
  policy: "coalesce",
  window: "1h",
  term: "1h",
  channel: "sms",
  typed: "3",
  finding: "arrived",
  to: "off",
  letters: "00000000-0000-4000-8000-000000000000.00000000-0000-4000-8000-000000000000",
};

/** Calls an action as its page's script does, with arguments that it would take from an operator. */
function call(context: BrowserContext | undefined, action: Action) {
  const subject = action.file.includes("[key]") ? KEY : subjects()["[id]"];
  const state = { values: {}, errors: {}, message: null, answer: 0 };
  // In this order: what the arguments refer to stands before them.
  const body = new FormData();
  for (const [name, value] of Object.entries(FIELDS)) body.append(`1_${name}`, value);
  body.append("0", JSON.stringify([...(action.takes === 3 ? [subject] : []), state, "$K1"]));
  return (context as BrowserContext).request.post(`${stack.app}${action.page}`, {
    headers: { "next-action": action.id, origin: stack.app, accept: "text/x-component" },
    multipart: body,
    maxRedirects: 0,
  });
}

const recorded = () =>
  withDatabase(stack, async (sql) => {
    const [row] = await sql<{ count: number }[]>`select count(*)::int as count from operator_actions`;
    return row?.count ?? -1;
  });

describe("every page of the console", () => {
  test("is absent for a shopper, asks an anonymous visitor to sign in, and is there for both kinds of operator", async () => {
    const pages = consoleAddresses(subjects());
    expect(pages.length).toBeGreaterThan(10);
    for (const path of pages) {
      const url = `${stack.app}${path}`;
      const shopper = await people.shopper?.request.get(url, { maxRedirects: 0 });
      expect(shopper?.status(), `a shopper at ${path}`).toBe(404);
      // The address that was asked for is told back to its asker; nothing else is.
      expect((await shopper?.text())?.replaceAll(encodeURIComponent(KEY), "")).not.toContain("twilio");
      const anonymous = await people.anonymous?.request.get(url, { maxRedirects: 0 });
      expect(anonymous?.status(), `nobody at ${path}`).toBe(307);
      expect(anonymous?.headers().location).toMatch(/^\/sign-in\?next=%2Fops/);
      const missing = path.includes(subjects()["[id]"]);
      for (const role of ["viewer", "operator"] as const) {
        const answer = await people[role]?.request.get(url, { maxRedirects: 0 });
        expect(answer?.status(), `${role} at ${path}`).toBe(missing ? 404 : 200);
      }
    }
  });
});

describe("every action of the console", () => {
  test("is listed by the build as the code has it", () => {
    const inCode = codeFiles()
      .filter(isConsoleFile)
      .flatMap(entrancesOf)
      .filter(({ kind }) => kind === "action")
      .map(({ path, name }) => `${path} ${name}`);
    expect(
      actions()
        .map(({ file, name }) => `${file} ${name}`)
        .sort(),
    ).toEqual(inCode.sort());
  });

  test("does nothing for a shopper, an anonymous visitor or a read-only operator, and says so", async () => {
    for (const action of actions()) {
      const shopper = await call(people.shopper, action);
      expect(shopper.status(), `a shopper calls ${action.name}`).toBe(404);
      const anonymous = await call(people.anonymous, action);
      expect(anonymous.headers()["x-action-redirect"], `nobody calls ${action.name}`).toMatch(/^\/sign-in/);
      const viewer = await call(people.viewer, action);
      expect(await viewer.text(), `a viewer calls ${action.name}`).toContain("Your role is read-only");
    }
    expect(await recorded()).toBe(0);
  });
});
