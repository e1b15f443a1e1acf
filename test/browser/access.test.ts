import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { launchBrowser } from "../support/browser";
import { type Stack, startStack } from "../support/stack";
import { arrival, freshEmail, inboxOf, mailedCode, plainForm, setReminder, signIn, visit } from "./visitor";

let stack: Stack;
let browser: Browser;
let owner: BrowserContext;
let stranger: BrowserContext;
let ownPage: Page;
let strangePage: Page;
let reminderId = "";

beforeAll(async () => {
  stack = await startStack(inject("testDatabases"));
  browser = await launchBrowser();
  owner = await visit(browser);
  stranger = await visit(browser);
  [ownPage, strangePage] = await Promise.all([owner.newPage(), stranger.newPage()]);
  await signIn(ownPage, stack, freshEmail());
  await signIn(strangePage, stack, freshEmail());
  reminderId = await setReminder(ownPage, stack, {
    title: "Private",
    minutesAhead: 600,
    channels: ["Email"],
  });
});

afterAll(async () => {
  await browser?.close();
  await stack?.stop();
});

describe("somebody else's reminder", () => {
  test.each(["", "/edit", "/cancel"])("is as absent as a missing one at its page%s", async (page) => {
    for (const id of [reminderId, "00000000-0000-4000-8000-000000000000", "x"]) {
      const response = await strangePage.goto(`${stack.app}/reminders/${id}${page}`);
      expect(response?.status()).toBe(404);
      await strangePage.getByRole("heading", { name: "There is no such reminder" }).waitFor();
      expect(await strangePage.content()).not.toContain("Private");
    }
  });

  test("is not cancelled by a form that names it", async () => {
    const ownId = await setReminder(strangePage, stack, {
      title: "Mine",
      minutesAhead: 600,
      channels: ["Email"],
    });
    const page = `${stack.app}/reminders/${ownId}/cancel`;
    const multipart = Object.fromEntries(
      Object.entries(await plainForm(stranger, page)).map(([name, value]) => [
        name,
        value.replaceAll(ownId, reminderId),
      ]),
    );
    expect(JSON.stringify(multipart)).toContain(reminderId);
    const headers = { origin: stack.app };
    const answer = await stranger.request.post(page, { multipart, headers, maxRedirects: 0 });
    expect(answer.status()).toBe(404);
    await ownPage.goto(`${stack.app}/reminders/${reminderId}`);
    await ownPage.getByText("Will be sent at").waitFor();
  });

  test("is not the start of a new one", async () => {
    await strangePage.goto(`${stack.app}/reminders/new?from=${reminderId}`);
    expect(await strangePage.getByLabel("What").inputValue()).toBe("");
  });
});

describe("signing in", () => {
  test("a page asks for it and is reached after it", async () => {
    const context = await visit(browser);
    const page = await context.newPage();
    for (const path of [
      "/reminders",
      "/reminders/new",
      "/settings",
      "/settings/channels",
      `/reminders/${reminderId}`,
    ]) {
      await page.goto(`${stack.app}${path}`);
      await page.waitForURL(`**/sign-in?next=${encodeURIComponent(path)}`);
    }
    await signIn(page, stack, freshEmail(), "/settings/channels");
    await context.close();
  });

  test("never leads to another site", async () => {
    const context = await visit(browser);
    const page = await context.newPage();
    const email = freshEmail();
    await page.goto(`${stack.app}/sign-in?next=${encodeURIComponent("//evil.example/reminders")}`);
    await page.getByLabel("Email address").fill(email);
    await page.getByRole("button", { name: "Send me a code" }).click();
    await page.getByLabel("Code", { exact: true }).fill(await mailedCode(stack, email));
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL(`${stack.app}/reminders`);
    await context.close();
  });

  test("five wrong codes end the code; the right one is too late then, a new one is not", async () => {
    const context = await visit(browser);
    const page = await context.newPage();
    const email = freshEmail();
    await page.goto(`${stack.app}/sign-in`);
    await page.getByLabel("Email address").fill(email);
    await page.getByRole("button", { name: "Send me a code" }).click();
    const code = await mailedCode(stack, email);
    const wrong = code === "000000" ? "111111" : "000000";
    const field = page.getByLabel("Code", { exact: true });
    const submit = page.getByRole("button", { name: "Sign in" });
    for (let guess = 0; guess < 5; guess += 1) {
      await field.fill(wrong);
      await submit.click();
      await page.getByText(/This is not the code we sent/).waitFor();
    }
    await field.fill(code);
    await submit.click();
    await page.getByText(/wrong too often/).waitFor();
    await page.getByRole("button", { name: "Send the code again" }).click();
    const isNew = (subject: string | null) => subject?.includes("sign-in code") && !subject.includes(code);
    const mail = await arrival(stack, "email", email, ({ subject }) => isNew(subject) ?? false);
    await field.fill(/\d{6}/.exec(mail.subject ?? "")?.[0] ?? "");
    await submit.click();
    await page.waitForURL(`${stack.app}/reminders`);
    await context.close();
  });

  test("asking again sends the same code, and asking too often is refused without taking it away", async () => {
    const context = await visit(browser);
    const page = await context.newPage();
    const email = freshEmail();
    await page.goto(`${stack.app}/sign-in`);
    await page.getByLabel("Email address").fill(email);
    await page.getByRole("button", { name: "Send me a code" }).click();
    const code = await mailedCode(stack, email);
    const again = page.getByRole("button", { name: "Send the code again" });
    for (let asked = 1; asked < 5; asked += 1) {
      await again.click();
      await expect
        .poll(async () => (await inboxOf(stack, "email", email)).length, { timeout: 60_000 })
        .toBe(asked + 1);
    }
    await again.click();
    await page.getByText(/Too many codes were asked for/).waitFor();
    const subjects = (await inboxOf(stack, "email", email)).map((mail) => mail.subject ?? "");
    expect(subjects.every((subject) => subject.includes(code))).toBe(true);
    await page.getByLabel("Code", { exact: true }).fill(code);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL(`${stack.app}/reminders`);
    await context.close();
  });

  test("signing out ends it", async () => {
    const context = await visit(browser);
    const page = await context.newPage();
    await signIn(page, stack, freshEmail());
    await page.locator("summary", { hasText: "Account" }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL(`${stack.app}/`);
    await page.goto(`${stack.app}/reminders`);
    await page.waitForURL("**/sign-in?next=%2Freminders");
    await context.close();
  });
});

describe("adding a device", () => {
  const keys = { p256dh: `BA${"A".repeat(85)}`, auth: "A".repeat(22) };
  const post = (context: BrowserContext, endpoint: string, origin: string) =>
    context.request.post(`${stack.app}/api/devices`, {
      data: { subscription: { endpoint, keys } },
      headers: { origin },
    });

  test("needs somebody who is signed in, on our own page", async () => {
    const nobody = await visit(browser);
    const endpoint = `${stack.standins}/push/x`;
    expect((await post(nobody, endpoint, stack.app)).status()).toBe(401);
    expect((await post(owner, endpoint, "https://evil.example")).status()).toBe(403);
    await nobody.close();
  });

  test.each([
    "https://169.254.169.254/latest/meta-data",
    "https://evil.example/fcm.googleapis.com",
    "http://localhost:22/",
  ])("%s is no push service that we would call", async (endpoint) => {
    const answer = await post(owner, endpoint, stack.app);
    expect(answer.status()).toBe(422);
    expect(await answer.json()).toMatchObject({ code: "invalid_input" });
  });
});

describe("no page runs a script that is not ours", () => {
  test.each(["/", "/sign-in", "/reminders", "/settings", "/no-such-page"])("%s", async (path) => {
    const page = await owner.newPage();
    const refused: string[] = [];
    page.on("console", (message) => {
      if (/Content Security Policy/i.test(message.text())) refused.push(message.text());
    });
    const response = await page.goto(`${stack.app}${path}`);
    const headers = response?.headers() ?? {};
    expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'");
    expect(headers["x-content-type-options"]).toBe("nosniff");
    await page.waitForLoadState("networkidle");
    expect(refused).toEqual([]);
    // A script that came in by injected markup has no nonce.
    const ran = await page.evaluate(() => {
      const script = document.createElement("div");
      script.innerHTML = "<img src=x onerror='window.injected=1'>";
      document.body.append(script);
      return new Promise((resolve) => requestAnimationFrame(() => resolve("injected" in window)));
    });
    expect(ran).toBe(false);
    await page.close();
  });
});
