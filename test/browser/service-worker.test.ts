import type { Browser, BrowserContext, CDPSession, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { launchBrowser } from "../support/browser";
import { type Stack, startStack, until } from "../support/stack";
import { freshEmail, signIn, visit } from "./visitor";

let stack: Stack;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let session: CDPSession;
let registrationId = "";

beforeAll(async () => {
  stack = await startStack(inject("testDatabases"));
  browser = await launchBrowser();
  context = await visit(browser, { permissions: ["notifications"] });
  page = await context.newPage();
  await signIn(page, stack, freshEmail(), "/settings/channels");
  session = await context.newCDPSession(page);
  session.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
    registrationId = registrations.find(({ isDeleted }) => !isDeleted)?.registrationId ?? registrationId;
  });
  await session.send("ServiceWorker.enable");
  await page.evaluate(async () => {
    await navigator.serviceWorker.register("/service-worker.js");
    await navigator.serviceWorker.ready;
  });
  await until("the worker is registered", 60_000, () => registrationId !== "");
});

afterAll(async () => {
  await browser?.close();
  await stack?.stop();
});

/** Hands a decrypted push to the worker, as the browser does. */
async function push(data: string): Promise<void> {
  await session.send("ServiceWorker.deliverPushMessage", { origin: stack.app, registrationId, data });
}

interface Shown {
  title: string;
  body: string;
  tag: string;
  url: unknown;
}

function shown(): Promise<Shown[]> {
  return page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    const notifications = await registration.getNotifications();
    return notifications.map(({ title, body, tag, data }) => ({ title, body, tag, url: data?.url }));
  });
}

describe("the service worker", () => {
  test("shows what is pushed, and a repeat of it takes the place of the first", async () => {
    const reminder = {
      title: "Collect the parcel",
      body: "Thu 24 Dec, 09:00",
      url: "/reminders/1",
      tag: "ref-1",
    };
    await push(JSON.stringify(reminder));
    await expect
      .poll(shown)
      .toEqual([{ title: reminder.title, body: reminder.body, tag: reminder.tag, url: reminder.url }]);
    await push(JSON.stringify({ ...reminder, title: "Collect the parcel again" }));
    await expect
      .poll(async () => (await shown()).map(({ title }) => title))
      .toEqual(["Collect the parcel again"]);
    await push(JSON.stringify({ ...reminder, title: "Another", tag: "ref-2" }));
    await expect.poll(async () => (await shown()).length).toBe(2);
  });

  test("offers what the push may answer, and nothing where there is no right to", async () => {
    const actions = [
      { action: "done", title: "Done" },
      { action: "snooze", title: "In an hour" },
    ];
    const reminder = { title: "Water the plants", body: "", url: "/reminders", tag: "ref-3", actions };
    const offered = () =>
      page.evaluate(async () => {
        const registration = await navigator.serviceWorker.ready;
        const [shownNow] = await registration.getNotifications({ tag: "ref-3" });
        const { actions: shownActions = [] } = (shownNow ?? {}) as { actions?: { action: string }[] };
        return shownNow === undefined ? null : shownActions.map(({ action }) => action);
      });
    await push(JSON.stringify({ ...reminder, token: "token" }));
    await expect.poll(offered).toEqual(["done", "snooze"]);
    await push(JSON.stringify(reminder));
    await expect.poll(offered).toEqual([]);
  });

  test("shows something for a push that it cannot read", async () => {
    await push("not JSON");
    await expect.poll(async () => (await shown()).map(({ title }) => title)).toContain("You have a reminder");
  });
});

test("a browser that cannot reach its push service is told what to do, and email is left", async () => {
  // This Chromium has no push service: what a person sees then is part of the page.
  await page.goto(`${stack.app}/settings/channels`);
  await page.getByRole("button", { name: "Turn on notifications here" }).click();
  await page.getByText(/push service could not be reached|blocks notifications/).waitFor();
});
