import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { launchBrowser } from "../support/browser";
import { type Stack, startStack } from "../support/stack";
import { objections } from "./accessible";
import {
  addDevice,
  addPhone,
  arrival,
  freshEmail,
  setReminder,
  signIn,
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
  context = await visit(browser, {
    viewport: { width: 375, height: 800 },
    hasTouch: true,
    reducedMotion: "reduce",
  });
  page = await context.newPage();
  await signIn(page, stack, email);
});

afterAll(async () => {
  await browser?.close();
  await stack?.stop();
});

/** A page of another site. It is served for real, because a browser asks where a page comes from before it loads scripts. */
async function serveOnce(body: string): Promise<string> {
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "text/html").end(body);
    server.close();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/p/1`;
}

const url = (path: string) => `${stack.app}${path}`;
async function open(path: string): Promise<void> {
  await page.goto(url(path));
  await page.getByText("Loading your reminders").waitFor({ state: "detached" });
}

describe("on a phone", () => {
  test("a title, a preset and a tap set the right reminder", async () => {
    await open("/reminders/new");
    await page.getByLabel("What").fill("Call the dentist");
    await page.getByText("Tomorrow morning").tap();
    expect(await page.locator("#when-echo").textContent()).toMatch(/^Due .* 08:00 \(America\/New_York/);
    await page.getByRole("button", { name: "Set reminder" }).tap();
    await page.waitForURL("**/reminders/*?done=set");
    expect(await page.locator("h1 + p, h1 ~ p").first().textContent()).toMatch(/08:00/);
  });

  test("words are read while they are typed, and what repeats shows its next three times", async () => {
    await open("/reminders/new");
    await page.getByLabel("What").fill("Take the pills");
    await page.getByLabel("When, in words").pressSequentially("every weekday at 8");
    await page.getByText(/^Every weekday, first .* 08:00/).waitFor();
    await expect.poll(() => page.getByLabel("Repeat").inputValue()).toBe("WEEKDAYS");
    const times = page.getByText("The next times, New York:").locator("~ ol li");
    await expect.poll(() => times.count()).toBe(3);
    expect(await objections(page)).toEqual([]);
    await page.getByRole("button", { name: "Set reminder" }).tap();
    await page.waitForURL("**/reminders/*?done=set");
    await page.getByText("Every weekday").waitFor();
  });

  test("words that are not clear are said so, beside what would be, and nothing is set", async () => {
    await open("/reminders/new");
    await page.getByLabel("What").fill("Whenever");
    await page.getByLabel("When, in words").fill("sometime soonish");
    await page.getByText(/“sometime soonish” is not clear/).waitFor();
    await page.getByRole("button", { name: "Set reminder" }).tap();
    await page.locator("#when-error", { hasText: "is not clear" }).waitFor();
    expect(page.url()).toContain("/reminders/new");
  });

  test("a link from a shop fills it in, through signing in, and sets nothing by itself", async () => {
    const link = "/reminders/new?title=Espresso+beans&url=https%3A%2F%2Fshop.example%2Fp%2F1&when=in+2+days";
    await open(link);
    expect(await page.getByLabel("What").inputValue()).toBe("Espresso beans");
    expect(await page.getByLabel("Link").inputValue()).toBe("https://shop.example/p/1");
    expect(await page.getByLabel("When, in words").inputValue()).toBe("in 2 days");
    const stranger = await visit(browser);
    const other = await stranger.newPage();
    await other.goto(url(link));
    expect(new URL(other.url()).searchParams.get("next")).toContain("title=Espresso");
    await stranger.close();
  });

  test("the documented button on a shop's page opens the form filled in, with that page as the link", async () => {
    const readme = await readFile(fileURLToPath(new URL("../../README.md", import.meta.url)), "utf8");
    const markup = /<script src="https:\/\/YOUR-PUNCTUAL[\s\S]*?<\/remind-me>/.exec(readme)?.[0] ?? "";
    expect(markup).toContain('title="Espresso beans"');
    const shop = await context.newPage();
    const product = await serveOnce(`<!doctype html><html lang="en"><title>Espresso beans</title><main>
      <h1>Espresso beans</h1>${markup.replace("https://YOUR-PUNCTUAL", stack.app)}</main></html>`);
    await shop.goto(product);
    const button = shop.getByRole("link", { name: "Remind me" });
    expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    expect(await objections(shop)).toEqual([]);
    const opened = context.waitForEvent("page");
    await button.tap();
    const form = await opened;
    await form.waitForURL("**/reminders/new?*");
    expect(await form.getByLabel("What").inputValue()).toBe("Espresso beans");
    expect(await form.getByLabel("When, in words").inputValue()).toBe("in 4 weeks");
    expect(await form.getByLabel("Link").inputValue()).toBe(product);
    await form.close();
    await shop.close();
  });

  test("a time in one's own quiet hours asks, and says what happens either way", async () => {
    await open("/settings");
    await page.getByLabel("Keep quiet at night").check();
    await page.getByRole("button", { name: "Save settings" }).tap();
    await page.getByText("Saved.").waitFor();
    await open("/reminders/new");
    await page.getByLabel("What").fill("Medicine");
    await page.getByLabel("When, in words").fill("tomorrow 23:30");
    await page.getByText(/That is in your quiet hours/).waitFor();
    expect(await objections(page)).toEqual([]);
    await page.getByLabel(/^Deliver anyway, .* 23:30/).check();
    await page.getByRole("button", { name: "Set reminder" }).tap();
    await page.waitForURL("**/reminders/*?done=set");
    await page.getByText("Comes in quiet hours too.").waitFor();
    await open("/settings");
    await page.getByLabel("Keep quiet at night").uncheck();
    await page.getByRole("button", { name: "Save settings" }).tap();
    await page.getByText("Saved.").waitFor();
  });
});

describe("living with it", () => {
  test("a cancel is taken back with one tap", async () => {
    await open("/reminders?q=dentist");
    await page.getByRole("link", { name: /Call the dentist/ }).tap();
    await page.getByRole("link", { name: "Cancel" }).tap();
    await page.getByRole("button", { name: "Cancel reminder" }).tap();
    await page.getByRole("button", { name: /^Undo/ }).tap();
    await page.waitForURL("**?done=restore");
    await page.getByText("Will be sent at").first().waitFor();
  });

  test("a series is paused and resumed, and its next time is there again", async () => {
    await open("/reminders?q=pills");
    await page.getByRole("link", { name: /Take the pills/ }).tap();
    await page.getByRole("button", { name: "Pause", exact: true }).tap();
    await page.getByRole("button", { name: "Resume reminder" }).tap();
    await page.waitForURL("**?done=resume");
    await page.getByText("Will be sent at").first().waitFor();
  });

  test("search finds by words, and says so when it finds none", async () => {
    await open("/reminders?q=PILLS");
    expect(await page.getByRole("link", { name: /Take the pills/ }).count()).toBe(1);
    await open("/reminders?q=100%25_none");
    await page.getByRole("heading", { name: /Nothing to come holds “100%_none”/ }).waitFor();
  });

  test("the calendar shows what is to come, a series on each of its days", async () => {
    await open("/reminders/calendar");
    await page.getByRole("link", { name: "The month after" }).tap();
    await page.waitForURL("**/calendar?month=*");
    expect(await page.getByRole("link", { name: /Take the pills/ }).count()).toBeGreaterThan(15);
    expect(await objections(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 900 });
    expect(await objections(page)).toEqual([]);
    await page.setViewportSize({ width: 375, height: 800 });
  });

  test("everything is paused until a day, and the pause taken back", async () => {
    await open("/settings");
    await page.getByLabel("Until the morning of").fill("2027-12-24");
    await page.getByRole("button", { name: "Pause everything" }).tap();
    await page.getByText(/Everything is paused until Fri 24 Dec 2027/).waitFor();
    await page.getByRole("button", { name: "Resume everything now" }).tap();
    await page.getByRole("button", { name: "Pause everything" }).waitFor();
  });
});

describe("a message's own page", () => {
  let link = "";

  test("is reached without signing in, and looking at it changes nothing", async () => {
    const id = await setReminder(page, stack, {
      title: "Water the plants",
      minutesAhead: 0,
      channels: ["Email"],
    });
    await untilStory(page, stack, "Email", /Sent at/);
    const mail = await arrival(stack, "email", email, ({ subject }) => subject === "Water the plants");
    link = /https?:\/\/\S+\/r\/[\w.-]+/.exec(mail.text ?? "")?.[0] ?? "";
    expect(link).not.toBe("");
    const stranger = await visit(browser, { viewport: { width: 375, height: 800 } });
    const other = await stranger.newPage();
    for (const address of [link, `${link}?stop=email`]) await other.goto(address);
    await other.getByRole("heading", { name: "Water the plants" }).waitFor();
    await stranger.close();
    await open(`/reminders/${id}`);
    await untilStory(page, stack, "Email", /Sent at/);
  });

  test("finishes, puts off and stops by buttons, and is clean for axe", async () => {
    const stranger = await visit(browser, { viewport: { width: 375, height: 800 }, reducedMotion: "reduce" });
    const other = await stranger.newPage();
    await other.goto(`${link}?stop=email`);
    expect(await objections(other)).toEqual([]);
    await other.getByRole("button", { name: "Stop reminders by email" }).click();
    await other.getByText("Reminders by email are stopped.").waitFor();
    await other.goto(link);
    await other.getByRole("button", { name: "Done" }).click();
    await other.getByText("Done. Nothing more of it will be sent.").waitFor();
    await stranger.close();
    await open("/settings/channels");
    await page.getByRole("button", { name: "Turn on reminders by Email" }).tap();
    await page.getByRole("button", { name: "Turn off reminders by Email" }).waitFor();
  });
});

test("one channel, then the next: opening the reminder keeps the later one back", async () => {
  await addPhone(page, stack, "+12025550177");
  await addDevice(page, stack);
  await open("/reminders/new");
  await page.getByLabel("What").fill("Bring the parcel");
  // The page is opened before anything is sent, whatever the second of the minute.
  const { date, time } = wallClock(1.5);
  await page.getByLabel("Date").fill(date);
  await page.getByLabel("Time", { exact: true }).fill(time);
  await page.getByLabel("One, then the next").check();
  for (const channel of ["Email", "SMS", "Push"])
    await page.getByRole("checkbox", { name: channel }).setChecked(channel !== "Email");
  await page.getByRole("button", { name: "Set reminder" }).tap();
  await page.waitForURL("**/reminders/*?done=set");
  await page.getByText(/Push and SMS, one after the other/).waitFor();
  await expect
    .poll(async () => page.getByText(/Sent at/).count(), { timeout: 180_000, interval: 1000 })
    .toBeGreaterThan(0);
  await untilStory(page, stack, "SMS", /Only if needed Comes only if you have not opened it by/);
  await page.reload();
  await untilStory(page, stack, "SMS", /Not needed any more/);
});

test("a device has a name, a limit and a test that arrives", async () => {
  await open("/settings/channels");
  await page.getByRole("button", { name: /^Send a test/ }).tap();
  await page.getByText("On its way.").waitFor();
  await page.locator("summary", { hasText: "Name and limit" }).tap();
  await page.getByLabel("Name", { exact: true }).fill("Kitchen tablet");
  await page
    .getByRole("button", { name: /^Save for/ })
    .last()
    .tap();
  await page.getByText("Kitchen tablet").first().waitFor();
  expect(await objections(page)).toEqual([]);
});

test("a text message outside the hours that somebody chose waits for them, and goes when they are taken back", async () => {
  await open("/settings/channels");
  await page.getByLabel("Text me only at certain hours").check();
  const from = wallClock(120).time;
  await page.getByLabel("From", { exact: true }).fill(from);
  await page.getByLabel("Until", { exact: true }).fill(wallClock(180).time);
  await page.getByRole("button", { name: "Save hours" }).tap();
  await page.waitForURL("**/settings/channels");
  const id = await setReminder(page, stack, {
    title: "Feed the cat",
    minutesAhead: 0,
    channels: ["SMS"],
  });
  const words = new RegExp(
    `Waiting for the morning Text messages wait for the hours you allow, until .* ${from} New York`,
  );
  await untilStory(page, stack, "SMS", words);
  await open("/settings/channels");
  await page.getByLabel("Text me only at certain hours").uncheck();
  await page.getByRole("button", { name: "Save hours" }).tap();
  await open(`/reminders/${id}`);
  await untilStory(page, stack, "SMS", /Sent at/);
});

test("beyond an address's limit for a day a message is held back, seen as such, and can be put off until it is raised", async () => {
  const limit = async (value: string) => {
    await open("/settings/channels");
    const card = page.getByRole("region", { name: "Email" });
    await card.locator("summary", { hasText: "Limit" }).tap();
    await card.getByLabel(/^Messages a day/).fill(value);
    await card.getByRole("button", { name: /^Save for/ }).tap();
    await card.locator("summary", { hasText: value === "" ? "no limit" : "at most" }).waitFor();
  };
  await limit("1");
  const id = await setReminder(page, stack, { title: "One too many", minutesAhead: 0, channels: ["Email"] });
  await untilStory(
    page,
    stack,
    "Email",
    /Held back You have had as many messages here as you allow for a day/,
  );
  await open("/reminders?list=past");
  expect(await page.getByRole("link", { name: /One too many/ }).textContent()).toMatch(/Held back/);
  await limit("");
  await open(`/reminders/${id}`);
  await page.locator("summary", { hasText: "Snooze" }).tap();
  await page.getByRole("button", { name: /1 hour/ }).tap();
  await untilStory(page, stack, "Email", /Scheduled Will be sent at/);
});
