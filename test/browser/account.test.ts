import { readFile } from "node:fs/promises";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { launchBrowser } from "../support/browser";
import { type Stack, startStack } from "../support/stack";
import { withDatabase } from "./operators";
import { freshEmail, setReminder, signIn, visit } from "./visitor";

let stack: Stack;
let browser: Browser;
let context: BrowserContext;
let page: Page;
const email = freshEmail();

beforeAll(async () => {
  stack = await startStack(inject("testDatabases"));
  browser = await launchBrowser();
  context = await visit(browser);
  page = await context.newPage();
  await signIn(page, stack, email);
  await setReminder(page, stack, { title: "Planted for export", minutesAhead: 600, channels: ["Email"] });
});

afterAll(async () => {
  await browser?.close();
  await stack?.stop();
});

test("somebody finds their account from the settings, and downloads everything that is kept about them", async () => {
  await page.goto(`${stack.app}/settings`);
  await page.getByRole("link", { name: "Your account" }).click();
  await page.waitForURL(`${stack.app}/settings/account`);
  await page.getByText("You are signed in with 1 browser.").waitFor();
  const main = page.getByRole("navigation", { name: "Main" });
  expect(await main.locator("[aria-current=page]").allTextContents()).toEqual(["Settings"]);
  const begun = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download my data" }).click();
  const download = await begun;
  expect(download.suggestedFilename()).toBe("punctual-my-data.json");
  const data = JSON.parse(await readFile((await download.path()) ?? "", "utf8"));
  expect(data).toMatchObject({ account: { email }, reminders: [{ title: "Planted for export" }] });
  expect(JSON.stringify(data)).not.toMatch(/"(token|auth|p256dh)"/);
});

test("each sign-in has a session of its own, in a cookie that no script reads", async () => {
  const [old] = (await context.cookies()).filter(({ name }) => name.endsWith("session_token"));
  expect(old).toMatchObject({ httpOnly: true, sameSite: "Lax" });
  await context.clearCookies();
  await signIn(page, stack, email);
  const [fresh] = (await context.cookies()).filter(({ name }) => name.endsWith("session_token"));
  expect(fresh?.value).not.toBe(old?.value);
});

test("sign out everywhere ends every browser's session, and each has to ask for a code", async () => {
  const other = await visit(browser);
  const elsewhere = await other.newPage();
  await signIn(elsewhere, stack, email);
  await page.goto(`${stack.app}/settings/account`);
  await page.getByRole("button", { name: "Sign out everywhere" }).click();
  await page.waitForURL(`${stack.app}/`);
  await elsewhere.goto(`${stack.app}/reminders`);
  await elsewhere.waitForURL("**/sign-in?next=%2Freminders");
  await other.close();
});

test("an account is deleted by the button that says so, on a page without script too", async () => {
  const plain = await visit(browser, { javaScriptEnabled: false });
  const still = await plain.newPage();
  await signIn(still, stack, email);
  await still.goto(`${stack.app}/settings/account`);
  await still.getByRole("link", { name: "Delete my account" }).click();
  await still.getByRole("link", { name: "Keep my account" }).click();
  await still.waitForURL(`${stack.app}/settings/account`);
  await still.goto(`${stack.app}/settings/account/delete`);
  await still.getByRole("button", { name: "Delete my account" }).click();
  await still.waitForURL("**/sign-in?gone");
  await still.getByText("Your account is deleted").waitFor();
  const left = await withDatabase(
    stack,
    (sql) => sql<{ found: string }[]>`select email as found from auth_users where email = ${email}
      union all select address from destinations where address = ${email}
      union all select title from reminders where title = 'Planted for export'`,
  );
  expect([...left]).toEqual([]);
  await still.goto(`${stack.app}/reminders`);
  await still.waitForURL("**/sign-in?next=%2Freminders");
  await plain.close();
});
