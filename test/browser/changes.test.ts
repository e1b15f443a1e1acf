import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { launchBrowser } from "../support/browser";
import { type Stack, startStack } from "../support/stack";
import {
  arrival,
  fieldsIn,
  fillReminder,
  freshEmail,
  inboxOf,
  mailedCode,
  plainForm,
  setReminder,
  signIn,
  storyOf,
  untilStory,
  visit,
  wallClock,
} from "./visitor";

const email = freshEmail();

let stack: Stack;
let browser: Browser;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  stack = await startStack(inject("testDatabases"));
  browser = await launchBrowser();
  context = await visit(browser);
  page = await context.newPage();
  await signIn(page, stack, email);
});

afterAll(async () => {
  await browser?.close();
  await stack?.stop();
});

/** The titles in the list of what is to come. */
async function upcoming(): Promise<string[]> {
  const tab = await context.newPage();
  await tab.goto(`${stack.app}/reminders`);
  await tab.getByRole("heading", { name: "Reminders", exact: true }).waitFor();
  await tab.getByText("Loading your reminders").waitFor({ state: "detached" });
  const titles = await tab.locator("main li a p:first-child").allInnerTexts();
  await tab.close();
  return titles;
}

describe("the form of a reminder", () => {
  test("a refusal keeps what was typed, says what is wrong and stores nothing", async () => {
    await fillReminder(page, stack, { title: "", minutesAhead: -60, channels: ["Email"] });
    await page.getByText("Add a note or a link").click();
    await page.getByLabel("Note").fill("Ring twice");
    await page.getByLabel("Link").fill("javascript:alert(1)");
    await page.getByRole("button", { name: "Set reminder" }).click();
    await page.getByText("Say what it is about.").waitFor();
    await page.getByText(/This has passed already; it is .* now\. Choose a later time\./).waitFor();
    await page.getByText("Enter a link to a page, such as https://example.com.").waitFor();
    expect(await page.getByLabel("Note").inputValue()).toBe("Ring twice");
    expect(await page.getByLabel("Link").inputValue()).toBe("javascript:alert(1)");
    expect(await page.getByLabel("Date").inputValue()).toBe(wallClock(-60).date);
    const focused = page.locator("*:focus");
    expect(await focused.getAttribute("id")).toBe("title");
    expect(await upcoming()).toEqual([]);
  });

  test("what does not get through is not lost: it is told, stays typed, and goes at the next try, once", async () => {
    await fillReminder(page, stack, { title: "Through the tunnel", minutesAhead: 800, channels: ["Email"] });
    await page.route("**/reminders/new", (route) =>
      route.request().method() === "POST" ? route.abort() : route.continue(),
    );
    await page.getByRole("button", { name: "Set reminder" }).click();
    await page.getByText(/That did not get through/).waitFor();
    expect(await page.getByLabel("What").inputValue()).toBe("Through the tunnel");
    await page.unroute("**/reminders/new");
    await page.getByRole("button", { name: "Set reminder" }).click();
    await page.waitForURL("**/reminders/*?done=set");
    expect((await upcoming()).filter((title) => title === "Through the tunnel")).toHaveLength(1);
  });

  test("a preset fills in the time that it names", async () => {
    await page.goto(`${stack.app}/reminders/new`);
    await page.getByText("Next week").click();
    expect(await page.getByLabel("Time", { exact: true }).inputValue()).toBe("08:00");
    await page.getByText(/Due Mon .*, 08:00 \(America\/New_York/).waitFor();
    await page.getByLabel("Time", { exact: true }).fill("09:30");
    expect(await page.getByRole("radio", { name: /Next week/ }).isChecked()).toBe(false);
    await page.getByText(/Due Mon .*, 09:30 \(America\/New_York/).waitFor();
  });

  test("a double click sets one reminder", async () => {
    await fillReminder(page, stack, { title: "Feed the cat", minutesAhead: 600, channels: ["Email"] });
    await page.getByRole("button", { name: "Set reminder" }).dblclick();
    await page.waitForURL("**/reminders/*?done=set");
    expect((await upcoming()).filter((title) => title === "Feed the cat")).toHaveLength(1);
  });

  test("the same form sent again is the same reminder; with other content it asks, and then sets another", async () => {
    const url = `${stack.app}/reminders/new`;
    const { date, time } = wallClock(700);
    const typed = {
      choice: "custom",
      date,
      time,
      timeZone: "America/New_York",
      channels: "email",
      note: "",
      url: "",
    };
    const form = { ...(await plainForm(context, url)), ...typed };
    const send = (fields: Record<string, string>) =>
      context.request.post(url, { multipart: fields, headers: { origin: stack.app }, maxRedirects: 0 });
    const first = await send({ ...form, title: "Twice" });
    const second = await send({ ...form, title: "Twice" });
    expect(first.status()).toBe(303);
    expect(second.headers().location).toBe(first.headers().location);
    const other = await send({ ...form, title: "Another" });
    const page = await other.text();
    expect(page).toContain("This form has set a reminder already.");
    const again = await send({ ...fieldsIn(page), ...typed, title: "Another" });
    expect(again.status()).toBe(303);
    expect(again.headers().location).not.toBe(first.headers().location);
    const titles = await upcoming();
    expect(titles.filter((title) => title === "Twice")).toHaveLength(1);
    expect(titles.filter((title) => title === "Another")).toHaveLength(1);
  });
});

describe("changing a reminder", () => {
  test("an edit of one that waits delivers only the new version, once", async () => {
    const id = await setReminder(page, stack, { title: "Old words", minutesAhead: 300, channels: ["Email"] });
    await page.getByRole("link", { name: "Edit" }).click();
    await page.getByRole("heading", { name: "Edit reminder" }).waitFor();
    await page.getByLabel("What").fill("New words");
    const { date, time } = wallClock(0);
    await page.getByLabel("Date").fill(date);
    await page.getByLabel("Time", { exact: true }).fill(time);
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.waitForURL(`**/reminders/${id}?done=saved`);
    await untilStory(page, stack, "Email", /Sent at/);
    const subjects = (await inboxOf(stack, "email", email)).map((mail) => mail.subject ?? "");
    expect(subjects.filter((subject) => /New words/.test(subject))).toHaveLength(1);
    expect(subjects.filter((subject) => /Old words/.test(subject))).toEqual([]);
  });

  test("an edit that touches no time leaves a far time as it is, to the minute", async () => {
    const id = await setReminder(page, stack, {
      title: "Tax return",
      minutesAhead: 5000,
      channels: ["Email"],
    });
    const due = await page.locator("main time").first().textContent();
    await page.goto(`${stack.app}/reminders/${id}/edit`);
    await page.getByText("Add a note or a link").click();
    await page.getByLabel("Note").fill("Form 1040");
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.waitForURL("**?done=saved");
    expect(await page.locator("main time").first().textContent()).toBe(due);
    await page.getByText("Form 1040").waitFor();
  });

  test("snoozing one that was sent sends it again later, and keeps what was", async () => {
    await setReminder(page, stack, { title: "Stretch", minutesAhead: 0, channels: ["Email"] });
    await arrival(stack, "email", email, (mail) => /Stretch/.test(mail.subject ?? ""));
    await untilStory(page, stack, "Email", /Sent at/);
    await page.locator("summary", { hasText: "Snooze" }).click();
    await page.getByRole("button", { name: /1 hour/ }).click();
    await page.waitForURL("**?done=snoozed");
    expect(await storyOf(page, "Email")).toMatch(/Scheduled Will be sent at/);
    await page.getByRole("heading", { name: "Earlier" }).waitFor();
    expect(await upcoming()).toContain("Stretch");
  });

  test("a cancel asks once more by name, and then nothing is sent", async () => {
    const id = await setReminder(page, stack, {
      title: "Buy flowers",
      minutesAhead: 300,
      channels: ["Email"],
    });
    await page.getByRole("link", { name: "Cancel" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("heading", { name: "Cancel “Buy flowers”?" }).waitFor();
    await dialog.getByRole("button", { name: "Keep it" }).click();
    expect(await upcoming()).toContain("Buy flowers");
    await page.getByRole("link", { name: "Cancel" }).click();
    await dialog.getByRole("button", { name: "Cancel reminder" }).click();
    await page.waitForURL(`**/reminders/${id}?done=cancelled**`);
    await page.getByText("The reminder is cancelled.").waitFor();
    expect(await storyOf(page, "Email")).toMatch(/Cancelled/);
    expect(await upcoming()).not.toContain("Buy flowers");
    expect(
      (await inboxOf(stack, "email", email)).some((mail) => /Buy flowers/.test(mail.subject ?? "")),
    ).toBe(false);
    await page.getByRole("link", { name: "Set it again" }).click();
    expect(await page.getByLabel("What").inputValue()).toBe("Buy flowers");
  });
});

test("everything that matters works without script", async () => {
  const plain = await visit(browser, { javaScriptEnabled: false });
  const tab = await plain.newPage();
  const other = freshEmail();
  await tab.goto(`${stack.app}/sign-in`);
  await tab.getByLabel("Email address").fill("not an address");
  await tab.getByRole("button", { name: "Send me a code" }).click();
  await tab.getByText("Enter an email address, such as name@example.com.").waitFor();
  expect(await tab.getByLabel("Email address").inputValue()).toBe("not an address");
  await tab.getByLabel("Email address").fill(other);
  await tab.getByRole("button", { name: "Send me a code" }).click();
  await tab.getByLabel("Code", { exact: true }).fill(await mailedCode(stack, other));
  await tab.getByRole("button", { name: "Sign in" }).click();
  await tab.waitForURL(`${stack.app}/reminders`);

  await tab.goto(`${stack.app}/reminders/new`);
  await tab.getByRole("button", { name: "Set reminder" }).click();
  await tab.getByText("Say what it is about.").waitFor();
  await tab.getByLabel("What").fill("No script needed");
  await tab.getByLabel("Date").fill("2030-06-01");
  await tab.getByLabel("Time", { exact: true }).fill("07:15");
  await tab.locator("summary", { hasText: "Time in" }).click();
  await tab.getByLabel("Time zone", { exact: true }).selectOption("Asia/Tokyo");
  await tab.getByRole("button", { name: "Set reminder" }).click();
  await tab.getByText("Sat 1 Jun 2030, 07:15 (Asia/Tokyo, GMT+9)").first().waitFor();
  await tab.getByRole("link", { name: "Cancel" }).click();
  await tab.getByRole("button", { name: "Cancel reminder" }).click();
  await tab.getByText("The reminder is cancelled.").waitFor();
  await plain.close();
});
