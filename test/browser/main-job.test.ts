import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { launchBrowser } from "../support/browser";
import { type Stack, startStack } from "../support/stack";
import {
  addDevice,
  addPhone,
  arrival,
  freshEmail,
  inboxOf,
  setReminder,
  signIn,
  storyOf,
  untilStory,
  visit,
} from "./visitor";

const PHONE = "+12025550143";
const email = freshEmail();

let stack: Stack;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let device = "";

beforeAll(async () => {
  stack = await startStack(inject("testDatabases"));
  browser = await launchBrowser();
  context = await visit(browser);
  page = await context.newPage();
});

afterAll(async () => {
  await browser?.close();
  await stack?.stop();
});

describe("a reminder set on the page arrives by push, email and SMS, once", () => {
  test("a code that came by mail signs in, and the browser's zone is taken", async () => {
    await signIn(page, stack, email);
    await page.getByRole("heading", { name: "No reminders yet" }).waitFor();
    await page.goto(`${stack.app}/settings`);
    expect(await page.getByLabel("Time zone").inputValue()).toBe("America/New_York");
  });

  test("a channel can be chosen only after it is confirmed", async () => {
    await page.goto(`${stack.app}/reminders/new`);
    expect(await page.getByRole("checkbox", { name: "Email" }).isChecked()).toBe(true);
    expect(await page.getByRole("checkbox", { name: "SMS" }).isEnabled()).toBe(false);
    expect(await page.getByRole("checkbox", { name: "Push" }).isEnabled()).toBe(false);
    await addPhone(page, stack, PHONE);
    device = await addDevice(page, stack);
    await page.goto(`${stack.app}/reminders/new`);
    expect(await page.getByRole("checkbox", { name: "SMS" }).isEnabled()).toBe(true);
    expect(await page.getByRole("checkbox", { name: "Push" }).isEnabled()).toBe(true);
  });

  test("it is in the inbox three times, and its story says so without a reload", async () => {
    const title = "Collect the parcel";
    await setReminder(page, stack, { title, minutesAhead: 1.5, channels: ["Email", "SMS", "Push"] });
    expect(await storyOf(page, "Email")).toMatch(/Scheduled Will be sent at .* New York\./);
    await page.evaluate(() => Object.assign(window, { loadedOnce: true }));
    // Due at a full minute, half a minute away or more: the wait is the reminder's own.
    await arrivalWithinTheMinute(title);
    for (const channel of ["Email", "SMS", "Push"]) {
      await untilStory(page, stack, channel, /Sent at .* New York\./);
    }
    expect(await page.evaluate(() => "loadedOnce" in window)).toBe(true);
    const subjects = (await inboxOf(stack, "email", email)).map((mail) => mail.subject);
    expect(subjects.filter((subject) => subject?.includes(title))).toHaveLength(1);
    const texts = (await inboxOf(stack, "sms", PHONE)).map((text) => text.text);
    expect(texts.filter((text) => text?.includes(title))).toHaveLength(1);
    const pushes = (await inboxOf(stack, "push", device)).map((push) => push.subject);
    expect(pushes).toEqual([title]);
  });

  test("the list names it as sent among what is past", async () => {
    await page.goto(`${stack.app}/reminders?list=past&status=sent`);
    const row = page.getByRole("link", { name: /Collect the parcel/ });
    await row.waitFor();
    expect(await row.textContent()).toMatch(/Sent/);
    await page.goto(`${stack.app}/reminders`);
    await page.getByRole("heading", { name: "Nothing is coming up" }).waitFor();
  });
});

test("a provider that says 429 is waited for, and the story says what it was waiting for", async () => {
  await control("resend", { fault: "throttle", faultCount: 1, retryAfter: "seconds", retryAfterSeconds: 4 });
  const title = "Call the dentist";
  await setReminder(page, stack, { title, minutesAhead: 0, channels: ["Email"] });
  await untilStory(page, stack, "Email", /Sending later The email service is busy\. Expected about/);
  await untilStory(page, stack, "Email", /Sent at .* \(2 tries, one “busy” answer\)\./);
  await page.getByText("Every try").click();
  expect(await storyOf(page, "Email")).toMatch(/busy, asked us to wait 4 seconds.*accepted/);
});

test("an answer that never comes leaves an SMS as unknown, not as sent and not as failed", async () => {
  // With a callback the provider would tell us what became of it.
  await control("twilio", { fault: "reset", faultWhen: "after", faultCount: 1, receipts: "absent" });
  await setReminder(page, stack, { title: "Water the plants", minutesAhead: 0, channels: ["SMS"] });
  await untilStory(page, stack, "SMS", /Outcome unknown It may have arrived/);
});

async function arrivalWithinTheMinute(title: string): Promise<void> {
  await expect
    .poll(async () => (await inboxOf(stack, "email", email)).some((mail) => mail.subject?.includes(title)), {
      timeout: 180_000,
      interval: 250,
    })
    .toBe(true);
  await arrival(stack, "sms", PHONE, (text) => text.text?.includes(title) ?? false);
  await arrival(stack, "push", device, (push) => push.subject === title);
}

async function control(provider: "resend" | "twilio", settings: object): Promise<void> {
  const response = await fetch(`${stack.standins}/control/${provider}`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(settings),
  });
  expect(response.status).toBe(200);
}
