import { randomUUID } from "node:crypto";
import type { Browser, BrowserContext, Page } from "playwright-core";
import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { launchBrowser } from "../support/browser";
import { fillDeliveries, fillPartition } from "../support/ledger-fill";
import { type Stack, startStack, until } from "../support/stack";
import { objectionsInBothSchemes } from "./accessible";
import { signInAs, withDatabase } from "./operators";
import { visit } from "./visitor";

const KEY = "sms:twilio:AC0123456789abcdef0123456789abcdef:+15005550006";
const PARTITION = `/ops/partitions/${encodeURIComponent(KEY)}`;

const REDRIVES = { previewed: randomUUID(), finished: randomUUID() };

let stack: Stack;
let browser: Browser;
let state: Awaited<ReturnType<BrowserContext["storageState"]>>;
let operatorEmail = "";
const references: Record<string, string> = {};

beforeAll(async () => {
  stack = await startStack(inject("testDatabases"));
  browser = await launchBrowser();
  const { context, email } = await signInAs(browser, stack, "operator");
  operatorEmail = email;
  state = await context.storageState();
  await context.close();
  await withDatabase(stack, async (sql) => {
    await fillPartition(sql, { key: KEY, channel: "sms", ceiling: 5 });
    const rows = { channel: "sms", partition: KEY } as const;
    await fillDeliveries(sql, { ...rows, count: 120, state: "delivered" });
    await fillDeliveries(sql, {
      ...rows,
      count: 60,
      state: "dead",
      reason: "message_rejected",
      lastClass: "message_rejected",
      status: 400,
      code: "30007",
    });
    await fillDeliveries(sql, { ...rows, count: 8, state: "scheduled", usefulMs: 3_600_000 });
    await fillDeliveries(sql, { ...rows, count: 4, state: "deferred", status: 429, usefulMs: 900_000 });
    await fillDeliveries(sql, {
      ...rows,
      count: 3,
      state: "dead",
      reason: "outcome_unknown",
      lastClass: "ambiguous",
      unresolved: true,
    });
    const found = await sql<{ reference: string; state: string; reason: string | null }[]>`
      select distinct on (state, reason) reference, state, reason from deliveries where partition = ${KEY} order by state, reason`;
    for (const row of found) references[row.reason ?? row.state] = row.reference;
    await makeRedrives(sql);
  });
});

afterAll(async () => {
  await browser?.close();
  await stack?.stop();
});

/** A preview that waits for its confirmation, and a redrive that has ended with a gate that one measure failed. */
async function makeRedrives(sql: postgres.Sql): Promise<void> {
  const verdicts = [{ verdict: "would_send", count: 60, sample: [] }];
  const preview = { verdicts, channels: [], ages: [], answers: [], partitions: [], drainMs: 500 };
  const shown = { ...preview, expireFirst: 0, mayDuplicate: 2, more: false };
  const lane = { channel: "sms", lane: "standard" };
  const measures = [
    { ...lane, measure: "p99_age_ms", value: 90_000, limit: 30_000, ok: false },
    { ...lane, measure: "throttled_share", value: 0.01, limit: null, ok: true },
  ];
  const gate = { ok: false, atMs: Date.now(), sinceMs: Date.now() - 900_000, measures };
  const result = {
    pending: 0,
    out: 0,
    delivered: 60,
    dead: 0,
    expired: 0,
    skipped: 0,
    skippedBy: {},
    leftOut: 3,
  };
  await sql`insert into redrives (id, origin, state, filter, includes_ambiguous, members, would_send, preview, previewed_by, created_at)
    values (${REDRIVES.previewed}, 'operator', 'previewed', '{}', false, 60, 60, ${sql.json(shown)}, 'ada', ledger_now())`;
  await sql`insert into redrives (id, origin, state, filter, includes_ambiguous, members, would_send, preview, previewed_by, created_at,
      operator, reason, started_at, resumed_at, ended_at, result, gate)
    values (${REDRIVES.finished}, 'operator', 'finished', '{}', false, 63, 60, ${sql.json(shown)}, 'ada', ledger_now(),
      'ada', 'the body is mended', ledger_now(), ledger_now(), ledger_now(), ${sql.json(result)}, ${sql.json(gate)})`;
}

async function open(path: string, options: Parameters<typeof visit>[1] = {}): Promise<Page> {
  const context = await visit(browser, { reducedMotion: "reduce", storageState: state, ...options });
  const page = await context.newPage();
  await show(page, path);
  return page;
}

async function show(page: Page, path: string): Promise<void> {
  await page.goto(`${stack.app}${path}`);
  await page.getByText("Asking the ledger").waitFor({ state: "detached" });
}

describe("a lever", () => {
  test("says what a pause delays before it is made, makes it with its reason, and resumes", async () => {
    const page = await open(PARTITION);
    await page.getByLabel("For", { exact: true }).first().selectOption("30m");
    await page.getByRole("button", { name: /^Show effect\s+of pause/ }).click();
    // What is put off by an hour is not delayed by half of one.
    await page.getByText("delays 0 messages, none past their deadline").waitFor();
    await page.getByRole("link", { name: "Leave it as it is" }).click();
    await page.getByLabel("For", { exact: true }).first().selectOption("4h");
    await page.getByRole("button", { name: /^Show effect\s+of pause/ }).click();
    await page.getByText("delays 12 messages, 12 of them past their deadline").waitFor();
    const button = page.getByRole("button", { name: "Pause SMS · +15005550006 for 4 hours" });
    await button.click();
    await page.getByText(/reason must be a reason|The reason must be/).waitFor();
    await page.getByLabel("Reason").fill("The provider reports an incident");
    await button.click();
    await page.getByText("Paused. Admitted work stops too").waitFor();
    await page.getByText(`${operatorEmail}: “The provider reports an incident”.`).waitFor();
    await page.goto(`${stack.app}/ops`);
    await page.getByText(/SMS · \+15005550006: paused\./).waitFor();
    await page.goto(`${stack.app}${PARTITION}`);
    await page.getByRole("link", { name: "Resume…" }).click();
    await page.getByLabel("Reason").fill("It is over");
    await page.getByRole("button", { name: "Resume SMS · +15005550006" }).click();
    await page.getByText("Resumed. The rate starts at a fifth").waitFor();
    await page.goto(`${stack.app}/ops/audit`);
    const row = page.getByRole("row").filter({ hasText: "The provider reports an incident" });
    expect(await row.textContent()).toContain(operatorEmail);
    await page.context().close();
  });

  test("works without script, and keeps the reason out of the address", async () => {
    const page = await open(`${PARTITION}/limits?ceiling=2&burst=1&concurrency=3&for=1h`, {
      javaScriptEnabled: false,
    });
    await page.getByText("After 1 hour the limits of before come back by themselves.").waitFor();
    await page.getByLabel("Reason").fill("Warming up the sender");
    await page.getByRole("button", { name: "Set SMS · +15005550006 to 2/s for 1 hour" }).click();
    await page.getByText("The limits are set.").waitFor();
    expect(page.url()).not.toContain("Warming");
    const [limits] = await withDatabase(
      stack,
      (sql) => sql<{ ceiling: number; before: { ceiling: number } }[]>`
        select ceiling, limits_before as before from partitions where key = ${KEY}`,
    );
    expect(limits).toMatchObject({ ceiling: 2, before: { ceiling: 5 } });
    await page.context().close();
  });

  test("shows its effect to a read-only operator, who cannot use it", async () => {
    const { context } = await signInAs(browser, stack, "viewer");
    const page = await context.newPage();
    await page.goto(`${stack.app}${PARTITION}/pause?for=4h`);
    await page.getByText("Your role is read-only: you see what this would do").waitFor();
    expect(await page.getByRole("button", { name: /^Pause SMS/ }).count()).toBe(0);
    await context.close();
  });
});

test("the overview shows a change without being loaded again", async () => {
  const page = await open("/ops");
  const mark = page.getByRole("article").filter({ hasText: "SMS · +15005550006" });
  await withDatabase(
    stack,
    (sql) => sql`update partitions set circuit = 'open', circuit_reason = '20003',
    circuit_probe_at = ledger_now() + interval '5 minutes' where key = ${KEY}`,
  );
  await mark.getByText("Circuit open").waitFor();
  await withDatabase(
    stack,
    (sql) => sql`update partitions set circuit = 'closed', circuit_reason = null,
    circuit_probe_at = null where key = ${KEY}`,
  );
  await page.context().close();
});

describe("the list of deliveries", () => {
  test("pages through everything that fits, once, with its filters in the address", async () => {
    const page = await open("/ops/deliveries");
    await page.getByLabel("State").selectOption("dead");
    await page.getByLabel("Reason").selectOption("message_rejected");
    await page.getByRole("button", { name: "Filter" }).click();
    await page.waitForURL(/state=dead/);
    const seen: string[] = [];
    for (;;) {
      await page.getByText("Asking the ledger").waitFor({ state: "detached" });
      const links = page.locator("tbody th a");
      await links.first().waitFor();
      seen.push(...(await links.evaluateAll((all) => all.map((link) => link.getAttribute("href") ?? ""))));
      const older = page.getByRole("link", { name: "Older" });
      if ((await older.count()) === 0) break;
      const before = page.url();
      await older.click();
      await page.waitForURL((url) => url.toString() !== before);
    }
    expect(seen).toHaveLength(60);
    expect(new Set(seen).size).toBe(60);
    await page.getByRole("link", { name: /Remove the filter reason/ }).click();
    await page.waitForURL((url) => !url.search.includes("reason"));
    await page.context().close();
  });

  test("says what it does not know, and finds one delivery by key or reference", async () => {
    const page = await open("/ops/deliveries?lane=express&state=dead");
    await page.getByText("something that is not known here: lane").waitFor();
    await page.getByLabel("Find one").fill("nobody");
    await page.getByRole("button", { name: "Find" }).click();
    await page.getByText("no delivery of this key or reference").waitFor();
    await page.getByLabel("Find one").fill(references.message_rejected ?? "");
    await page.getByRole("button", { name: "Find" }).click();
    await page.waitForURL(`**/ops/deliveries/${references.message_rejected}`);
    await page.getByText("HTTP 400 · 30007").waitFor();
    await page.context().close();
  });
});

const PAGES: [name: string, path: () => string][] = [
  ["overview", () => "/ops"],
  ["partition", () => PARTITION],
  ["pause", () => `${PARTITION}/pause?for=open`],
  ["limits", () => `${PARTITION}/limits?ceiling=1`],
  ["under load", () => `${PARTITION}/degrade?lane=bulk&policy=other_channel&window=1h&term=4h`],
  ["weight", () => `${PARTITION}/weight?lane=bulk&weight=9`],
  ["resume", () => `${PARTITION}/resume`],
  ["deliveries", () => "/ops/deliveries?state=dead&channel=sms"],
  ["deliveries, none", () => "/ops/deliveries?state=dead&channel=push"],
  ["a delivery that is dead", () => `/ops/deliveries/${references.message_rejected}`],
  ["a delivery of unknown outcome", () => `/ops/deliveries/${references.outcome_unknown}`],
  ["a delivery that waits", () => `/ops/deliveries/${references.deferred}`],
  ["dead letters", () => "/ops/dead-letters"],
  ["dead letters, none", () => "/ops/dead-letters?channel=push"],
  ["every dead letter", () => "/ops/dead-letters/list"],
  ["dismissing a dead letter", () => `/ops/deliveries/${references.message_rejected}/dismiss`],
  ["resolving an unknown outcome", () => `/ops/deliveries/${references.outcome_unknown}/resolve`],
  ["redrives", () => "/ops/redrives"],
  ["a new redrive", () => "/ops/redrives/new?channel=sms"],
  ["the preview of a redrive", () => `/ops/redrives/${REDRIVES.previewed}`],
  ["a redrive that has ended", () => `/ops/redrives/${REDRIVES.finished}`],
  ["questions", () => "/ops/questions"],
  ["imports", () => "/ops/imports"],
  ["cleanup", () => "/ops/cleanup"],
  ["outbox", () => "/ops/outbox"],
  ["promises", () => "/ops/promises?check=now"],
  ["audit", () => "/ops/audit"],
];

/** One window looks at page after page. */
let looking: Page | undefined;

describe.each(PAGES)("%s", (_name, path) => {
  test("has nothing that axe objects to in either theme, fits 320 px, and has one h1 and a title of its own", async () => {
    looking ??= await open(path());
    const page = looking;
    await page.setViewportSize({ width: 320, height: 800 });
    await show(page, path());
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflow).toBeLessThanOrEqual(0);
    expect(await page.locator("h1").count()).toBe(1);
    expect(await page.title()).toMatch(/.+ · Console · Punctual$/);
    for (const width of [375, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await objectionsInBothSchemes(page), `${width} px`).toEqual([]);
    }
  });
});

test("the keyboard opens the pages on a narrow screen and leads to one", async () => {
  const page = await open("/ops", { viewport: { width: 375, height: 800 } });
  await page.locator("summary", { hasText: "Pages:" }).focus();
  await page.keyboard.press("Enter");
  const link = page.getByRole("link", { name: "Deliveries" }).first();
  await until("the pages are shown", 60_000, () => link.isVisible());
  await link.focus();
  await page.keyboard.press("Enter");
  await page.waitForURL("**/ops/deliveries");
  await page.context().close();
});
