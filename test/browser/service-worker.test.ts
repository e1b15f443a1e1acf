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
  actions: string[];
}

/** What the browser shows with one of these tags, by title. */
async function shown(tags: readonly string[]): Promise<Shown[]> {
  const all = await page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    const notifications = await registration.getNotifications();
    return notifications.map((notification) => {
      const { actions = [] } = notification as { actions?: { action: string }[] };
      const { title, body, tag, data } = notification;
      return { title, body, tag, url: data?.url, actions: actions.map(({ action }) => action) };
    });
  });
  return all
    .filter(({ tag }) => tags.includes(tag))
    .sort((one, other) => one.title.localeCompare(other.title));
}

/**
 * Hands over what was pushed and looks at what is shown. A browser without a tray closes each after some seconds, so
 * pushes are repeated until what they lead to was seen: repeats take each other's place, which is what is to be shown.
 */
async function expectShown(pushed: readonly string[], expected: readonly Partial<Shown>[]): Promise<void> {
  const look = async () => {
    for (const data of pushed) await push(data);
    return await shown([...new Set(expected.map(({ tag = "" }) => tag))]);
  };
  await expect
    .poll(look, { interval: 500, timeout: 30_000 })
    .toEqual(expected.map((one) => expect.objectContaining(one)));
}

/** Presses a button as the browser tells the worker, whose network answers this; says what the worker asked and opened. */
async function pressed(token: string, action: string, status: number) {
  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent("serviceworker"));
  return worker.evaluate(
    async (given) => {
      // The worker's own globals, which this file's types do not know.
      const scope = self as unknown as {
        fetch: typeof fetch;
        clients: { openWindow(url: string): Promise<null> };
        registration: ServiceWorkerRegistration;
      };
      const Press = (self as unknown as { NotificationEvent: new (type: string, init: object) => Event })
        .NotificationEvent;
      const opened: string[] = [];
      let call: [string, RequestInit] = ["", {}];
      const { fetch: network } = scope;
      scope.fetch = async (url, init) => {
        call = [String(url), init ?? {}];
        return new Response(null, { status: given.status });
      };
      scope.clients.openWindow = async (url) => {
        opened.push(new URL(url).pathname);
        return null;
      };
      await scope.registration.showNotification("Pressed", { tag: "pressed", data: { token: given.token } });
      const [notification] = await scope.registration.getNotifications({ tag: "pressed" });
      const event = new Press("notificationclick", { notification, action: given.action });
      const work: Promise<unknown>[] = [];
      Object.defineProperty(event, "waitUntil", { value: (one: Promise<unknown>) => work.push(one) });
      self.dispatchEvent(event);
      await Promise.all(work);
      scope.fetch = network;
      const [path, { body, credentials }] = call;
      return { path, body: JSON.parse(String(body)), credentials, opened };
    },
    { token, action, status },
  );
}

describe("the service worker", () => {
  const reminder = {
    title: "Collect the parcel",
    body: "Thu 24 Dec, 09:00",
    url: "/reminders/1",
    tag: "ref-1",
  };
  const again = { ...reminder, title: "Collect the parcel again" };

  test("shows what is pushed, and a repeat of it takes the place of the first", async () => {
    await expectShown([JSON.stringify(reminder)], [{ ...reminder, actions: [] }]);
    await expectShown([JSON.stringify(reminder), JSON.stringify(again)], [again]);
    const another = { ...reminder, title: "Another", tag: "ref-2" };
    await expectShown([JSON.stringify(again), JSON.stringify(another)], [another, again]);
  });

  test("offers what the push may answer, and nothing where there is no right to", async () => {
    const actions = [
      { action: "done", title: "Done" },
      { action: "snooze", title: "In an hour" },
    ];
    const { tag } = reminder;
    await expectShown(
      [JSON.stringify({ ...reminder, actions, token: "token" })],
      [{ tag, actions: ["done", "snooze"] }],
    );
    await expectShown([JSON.stringify({ ...reminder, actions })], [{ tag, actions: [] }]);
  });

  test("a press on a button acts without a session, and shows the reminder's page when it does not get through", async () => {
    const asked = await pressed("token-of-a-reminder", "snooze", 204);
    expect(asked).toEqual({
      path: "/api/answers/token-of-a-reminder",
      body: { action: "snooze" },
      credentials: "omit",
      opened: [],
    });
    expect((await pressed("token-of-a-reminder", "done", 503)).opened).toEqual(["/r/token-of-a-reminder"]);
  });

  test("shows something for a push that it cannot read", async () => {
    await expectShown(["not JSON"], [{ title: "You have a reminder", tag: "unreadable" }]);
  });
});

test("a browser that cannot reach its push service is told what to do, and email is left", async () => {
  // This Chromium has no push service: what a person sees then is part of the page.
  await page.goto(`${stack.app}/settings/channels`);
  await page.getByRole("button", { name: "Turn on notifications here" }).click();
  await page.getByText(/push service could not be reached|blocks notifications/).waitFor();
});
