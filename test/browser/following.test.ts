import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { makeApiKey } from "../bench/load";
import { launchBrowser } from "../support/browser";
import { type Stack, startStack, until } from "../support/stack";
import { objectionsInBothSchemes } from "./accessible";
import { withDatabase } from "./operators";
import { arrival, DELIVERY_MS, freshEmail, inboxOf, mailedCode, visit } from "./visitor";

const API_KEY = "pk_of_the_shop_whose_parcel_is_followed";
const PARCEL = "parcel-4711";
const PHONE = { width: 375, height: 800 };
const email = freshEmail();

let stack: Stack;
let browser: Browser;
let page: Page;
let path = "";
let scans = 0;

beforeAll(async () => {
  stack = await startStack(inject("testDatabases"));
  browser = await launchBrowser();
  await withDatabase(stack, (sql) => makeApiKey(sql, API_KEY));
  await scan({ status: "in_transit", location: "Hamburg", detail: "In der Zustellbasis" });
  const context = await visit(browser, { viewport: PHONE, hasTouch: true, reducedMotion: "reduce" });
  page = await context.newPage();
});

afterAll(async () => {
  await browser?.close();
  await stack?.stop();
});

async function asShop<T>(method: string, at: string, body?: object): Promise<T> {
  const headers = { authorization: `Bearer ${API_KEY}`, "content-type": "application/json" };
  const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
  const answer = await fetch(`${stack.app}/api/v1/${at}`, init);
  expect(answer.ok, await answer.clone().text()).toBe(true);
  return (await answer.json()) as T;
}

/** What the carrier reports next. */
async function scan(facts: { status: string; location?: string; detail?: string; pickUpCode?: string }) {
  scans += 1;
  const event = { eventId: `scan-${scans}`, shipment: PARCEL, order: "4711", carrier: "DHL", ...facts };
  await asShop("POST", "shipments/events", { ...event, occurredAt: new Date().toISOString() });
}

const mails = async () =>
  (await inboxOf(stack, "email", email)).filter(({ subject }) => /4711/.test(subject ?? "")).length;

test("the link that a shop shows leads through signing in to the parcel, and follows nothing by itself", async () => {
  const { followUrl } = await asShop<{ followUrl: string }>("GET", `shipments/${PARCEL}`);
  path = new URL(followUrl).pathname;
  await page.goto(`${stack.app}${path}`);
  await page.getByLabel("Email address").fill(email);
  await page.getByRole("button", { name: "Send me a code" }).tap();
  await page.getByLabel("Code", { exact: true }).fill(await mailedCode(stack, email));
  await page.getByRole("button", { name: "Sign in" }).tap();
  await page.waitForURL(`${stack.app}${path}`);
  await page.getByRole("heading", { name: "Order 4711", level: 1 }).waitFor();
  await page.getByText("Hamburg · In der Zustellbasis").waitFor();
  expect(await page.getByRole("button", { name: "Stop following this parcel" }).count()).toBe(0);
});

test("one tap follows; milestones and policy are chosen, and kept on the page", async () => {
  await page.getByRole("button", { name: "Follow this parcel" }).tap();
  await page.getByRole("button", { name: "Stop following this parcel" }).waitFor();
  await page.getByLabel("It goes back to the sender").check();
  await page.getByLabel("Each of them, in order").check();
  const saved = page.waitForResponse((response) => response.request().method() === "POST");
  await page.getByRole("button", { name: "Save how you follow this parcel" }).tap();
  await saved;
  await page.getByText("Saved. You are told from the next change on.").waitFor();
  await page.goto(`${stack.app}${path}`);
  expect(await page.getByLabel("It goes back to the sender").isChecked()).toBe(true);
  expect(await page.getByLabel("It is on its way").isChecked()).toBe(false);
  expect(await page.getByLabel("Each of them, in order").isChecked()).toBe(true);
});

test("without a way or a milestone it says which is missing, and keeps what was chosen", async () => {
  await page.getByLabel("Email", { exact: true }).uncheck();
  await page.getByLabel("It was delivered").uncheck();
  await page.getByRole("button", { name: "Save how you follow this parcel" }).tap();
  await page.locator("#channels-error:not(:empty)").waitFor();
  expect(await page.getByLabel("It was delivered").isChecked()).toBe(false);
  expect(await objectionsInBothSchemes(page)).toEqual([]);
  await page.goto(`${stack.app}${path}`);
  expect(await page.getByLabel("Email", { exact: true }).isChecked()).toBe(true);
});

test("the page tells under each scan what was sent of it and when, and of one that was not chosen nothing", async () => {
  await scan({ status: "out_for_delivery", location: "Berlin" });
  const mail = await arrival(stack, "email", email, ({ subject }) => /4711/.test(subject ?? ""));
  expect(mail.subject).toMatch(/Out for delivery.*4711/i);
  expect(mail.text).toContain(path);
  await until("the page says that it was sent", DELIVERY_MS, async () => {
    await page.goto(`${stack.app}${path}`);
    const told = page.getByRole("listitem").filter({ hasText: "Out for delivery" }).first();
    return /Email\s*Sent\s*Sent at/.test((await told.textContent()) ?? "");
  });
  const before = page.getByRole("listitem").filter({ hasText: "Hamburg" }).first();
  expect(await before.textContent()).not.toContain("Sent");
});

test("fits 320 px, has nothing that axe objects to in either theme at either size, also in Arabic", async () => {
  const speak = (tag: string) =>
    withDatabase(
      stack,
      (sql) => sql`update subscribers set locale = ${tag} where id in
      (select subscriber_id from destinations where address = ${email})`,
    );
  for (const [tag, dir] of [
    ["ar", "rtl"],
    ["en", "ltr"],
  ] as const) {
    await speak(tag);
    await page.goto(`${stack.app}${path}`);
    for (const width of [320, 375, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      const shape = await page.evaluate(() => {
        const { scrollWidth, clientWidth, dir: direction } = document.documentElement;
        return { overflow: scrollWidth - clientWidth, direction };
      });
      expect({ width, ...shape }).toEqual({ width, overflow: 0, direction: dir });
      if (width > 320) expect(await objectionsInBothSchemes(page), `${tag}, ${width} px`).toEqual([]);
    }
  }
  await page.setViewportSize(PHONE);
});

test("the mail's own link says which parcel, and stops by buttons without signing in; looking changes nothing", async () => {
  const mail = await arrival(stack, "email", email, ({ subject }) => /4711/.test(subject ?? ""));
  const link = /https?:\/\/\S+\/r\/[\w.-]+/.exec(mail.text ?? "")?.[0] ?? "";
  const stranger = await visit(browser, { viewport: PHONE, hasTouch: true, reducedMotion: "reduce" });
  const other = await stranger.newPage();
  await other.goto(link);
  await other.getByRole("heading", { name: "Your parcel is out for delivery" }).waitFor();
  expect(await objectionsInBothSchemes(other)).toEqual([]);
  await page.goto(`${stack.app}${path}`);
  await page.getByRole("button", { name: "Stop following this parcel" }).waitFor();
  await other.getByRole("button", { name: "Stop all parcel updates by email" }).tap();
  await other.getByText("Parcel updates by email are stopped.").waitFor();
  await page.goto(`${stack.app}${path}`);
  await page.getByText("Turned off for parcel updates under Channels").waitFor();
  await page.goto(`${stack.app}/settings/channels`);
  await page.getByRole("button", { name: "Turn on parcel updates by Email" }).tap();
  await page.getByRole("button", { name: "Turn off parcel updates by Email" }).waitFor();
  await other.goto(link);
  await other.getByRole("button", { name: "Stop following this parcel" }).tap();
  await other.getByText("You do not follow this parcel any more.").waitFor();
  await stranger.close();
  await page.goto(`${stack.app}${path}`);
  await page.getByRole("button", { name: "Follow this parcel" }).tap();
  await page.getByRole("button", { name: "Stop following this parcel" }).waitFor();
});

test("whoever stops following hears no more, and can follow again", async () => {
  await page.getByRole("button", { name: "Stop following this parcel" }).tap();
  await page.getByText("You do not follow this parcel any more.").waitFor();
  const had = await mails();
  await scan({ status: "delivered" });
  await until("the page knows of the delivery", DELIVERY_MS, async () => {
    await page.goto(`${stack.app}${path}`);
    return (await page.getByRole("heading", { name: "Delivered" }).count()) > 0;
  });
  expect(await mails()).toBe(had);
  await page.getByRole("button", { name: "Follow this parcel" }).waitFor();
});

test("without script a parcel is followed all the same", async () => {
  const context = await visit(browser, { javaScriptEnabled: false });
  await context.addCookies(await page.context().cookies());
  const plain = await context.newPage();
  await plain.goto(`${stack.app}${path}`);
  await plain.getByRole("button", { name: "Follow this parcel" }).click();
  await plain.getByRole("button", { name: "Stop following this parcel" }).waitFor();
  await context.close();
});
