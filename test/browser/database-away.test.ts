import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { launchBrowser } from "../support/browser";
import { type DatabaseDoor, openDoor } from "../support/database-door";
import { fillDeliveries, fillPartition } from "../support/ledger-fill";
import { type Stack, startStack, until } from "../support/stack";
import { consoleAddresses } from "./console-places";
import { signInAs, withDatabase } from "./operators";
import { PAGE_MS } from "./visitor";

const KEY = "sms:twilio:AC1:+15005550006";
const REDRIVE = "00000000-0000-4000-8000-000000000001";

/** Pages that are open at once. */
const TOGETHER = 6;

/** What no reader is to see of a failure. */
const INSIDES = /ECONN|CONNECTION_|CONNECT_TIMEOUT|node_modules|drizzle|auth_sessions|\n\s+at \S+ \(/;

let door: DatabaseDoor;
let stack: Stack;
let browser: Browser;
let operator: BrowserContext;
let addresses: string[] = [];

beforeAll(async () => {
  const through = async (databaseUrl: string) => {
    door = await openDoor(databaseUrl);
    return door.url;
  };
  stack = await startStack(inject("testDatabases"), { through });
  browser = await launchBrowser();
  ({ context: operator } = await signInAs(browser, stack, "operator"));
  const reference = await withDatabase(stack, async (sql) => {
    await fillPartition(sql, { key: KEY, channel: "sms", ceiling: 5 });
    const unknown = { reason: "outcome_unknown", lastClass: "ambiguous", unresolved: true } as const;
    await fillDeliveries(sql, { count: 3, channel: "sms", partition: KEY, state: "dead", ...unknown });
    await sql`insert into redrives (id, origin, state, filter, includes_ambiguous, members, would_send, preview, previewed_by, created_at)
      values (${REDRIVE}, 'operator', 'previewed', '{}', false, 0, 0, ${sql.json(EMPTY_PREVIEW)}, 'ada', ledger_now())`;
    const [row] = await sql<{ reference: string }[]>`select reference from deliveries limit 1`;
    return row?.reference ?? "";
  });
  addresses = consoleAddresses({
    "[key]": encodeURIComponent(KEY),
    "[reference]": reference,
    "[id]": REDRIVE,
  });
});

const EMPTY_PREVIEW = {
  verdicts: [],
  channels: [],
  ages: [],
  answers: [],
  partitions: [],
  drainMs: 0,
  expireFirst: 0,
  mayDuplicate: 0,
  more: false,
};

afterEach(() => door.open());

afterAll(async () => {
  await browser?.close();
  await stack?.stop();
  await door?.shut();
});

const failure = (page: Page) =>
  page.getByRole("alert").filter({ has: page.getByRole("heading", { name: "This page could not be read" }) });

/** Looks at every page of the console in the present state of the database, and again when it is back. */
async function lookAtAll(): Promise<void> {
  const waiting = [...addresses];
  const look = async () => {
    const page = await operator.newPage();
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      await page.goto(`${stack.app}${path}`, { waitUntil: "commit" });
      await failure(page).waitFor();
      expect(await page.getByRole("button", { name: "Try again" }).count(), path).toBe(1);
      expect(INSIDES.exec(await page.content())?.[0], path).toBeUndefined();
      expect(await page.title(), path).toMatch(/Punctual/);
    }
    return page;
  };
  const last = await Promise.all(Array.from({ length: TOGETHER }, look));
  await door.open();
  // Nobody presses anything: what is open comes back by itself.
  for (const page of last) {
    await failure(page).waitFor({ state: "detached" });
    await page.locator("h1").waitFor();
    await page.close();
  }
}

describe.each([
  ["stopped", () => door.shut()],
  ["silent", async () => door.stall()],
])("while the database is %s", (_how, takeAway) => {
  test("every page of the console says so, offers to try again, shows nothing of its insides, and comes back by itself", async () => {
    await takeAway();
    await lookAtAll();
  });

  test("a page that shows live figures says so, and goes on when the database is back", async () => {
    const page = await operator.newPage();
    await page.goto(`${stack.app}/ops`);
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await takeAway();
    await failure(page).waitFor();
    await door.open();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.close();
  });

  test("a lever that is pulled keeps its reason and says that nothing was changed", async () => {
    const page = await operator.newPage();
    await page.goto(`${stack.app}/ops/partitions/${encodeURIComponent(KEY)}/pause?for=30m`);
    await page.getByLabel("Reason").fill("Their incident");
    await takeAway();
    await page.getByRole("button", { name: /^Pause SMS/ }).click();
    await page.getByText("The ledger does not answer. Nothing was changed").waitFor();
    expect(await page.getByLabel("Reason").inputValue()).toBe("Their incident");
    await door.open();
    // Who presses amid the return may be told once more that nothing was changed, and presses again.
    const taken = page.getByText("Paused. Admitted work stops too");
    await until(`the pause is taken\n${stack.tail()}`, PAGE_MS, async () => {
      if (await taken.isVisible()) return true;
      await page
        .getByRole("button", { name: /^Pause SMS/ })
        .click({ timeout: 2000 })
        .catch(() => undefined);
      return await taken.isVisible();
    });
    await page.close();
  });

  test("without script there is a page that says so", async () => {
    const context = await browser.newContext({
      javaScriptEnabled: false,
      storageState: await operator.storageState(),
    });
    await takeAway();
    const page = await context.newPage();
    await page.goto(`${stack.app}/ops`);
    await failure(page).waitFor();
    await context.close();
  });

  test("health and metrics answer 503 and are well again afterwards", async () => {
    const headers = { authorization: "Bearer metrics-of-the-local-stack" };
    const look = (path: string) => fetch(`${stack.app}${path}`, { headers });
    await takeAway();
    for (const path of ["/api/health", "/api/metrics"]) {
      const answer = await look(path);
      expect(answer.status, path).toBe(503);
      expect(await answer.text(), path).not.toMatch(INSIDES);
    }
    await door.open();
    for (const path of ["/api/health", "/api/metrics"])
      await expect.poll(async () => (await look(path)).status, { message: path }).toBe(200);
  });
});
