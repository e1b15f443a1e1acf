import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { launchBrowser } from "../support/browser";
import { type Stack, startStack } from "../support/stack";
import { objections, objectionsInBothSchemes } from "./accessible";
import { addDevice, addPhone, arrival, freshEmail, setReminder, signIn, untilStory, visit } from "./visitor";

let stack: Stack;
let browser: Browser;
let state: Awaited<ReturnType<BrowserContext["storageState"]>>;
const ids = { sent: "", waiting: "", link: "" };
const problems: string[] = [];

beforeAll(async () => {
  stack = await startStack(inject("testDatabases"));
  browser = await launchBrowser();
  const context = await visit(browser);
  const page = await context.newPage();
  const email = freshEmail();
  await signIn(page, stack, email);
  await addPhone(page, stack, "+12025550188");
  await addDevice(page, stack);
  ids.sent = await setReminder(page, stack, {
    title: "A title without any break ".repeat(2) + "x".repeat(80),
    minutesAhead: 0,
    channels: ["Email", "SMS", "Push"],
  });
  await untilStory(page, stack, "Email", /Sent at/);
  const mail = await arrival(stack, "email", email, ({ subject }) => /A title/.test(subject ?? ""));
  ids.link = new URL(/https?:\/\/\S+\/r\/[\w.-]+/.exec(mail.text ?? "")?.[0] ?? stack.app).pathname;
  ids.waiting = await setReminder(page, stack, {
    title: "اتصل بالطبيب <img src=x onerror=alert(1)>",
    minutesAhead: 900,
    channels: ["Email", "Push"],
  });
  state = await context.storageState();
  await context.close();
});

afterAll(async () => {
  await browser?.close();
  await stack?.stop();
});

const PAGES: [name: string, path: () => string, signedIn: boolean][] = [
  ["start", () => "/", false],
  ["sign-in", () => "/sign-in", false],
  ["upcoming", () => "/reminders", true],
  ["calendar", () => "/reminders/calendar", true],
  ["past", () => "/reminders?list=past", true],
  ["past, none", () => "/reminders?list=past&status=cancelled", true],
  ["new reminder", () => "/reminders/new", true],
  ["a story of what was sent", () => `/reminders/${ids.sent}`, true],
  ["a story of what waits", () => `/reminders/${ids.waiting}?done=saved`, true],
  ["edit", () => `/reminders/${ids.waiting}/edit`, true],
  ["cancel", () => `/reminders/${ids.waiting}/cancel`, true],
  ["channels", () => "/settings/channels", true],
  ["settings", () => "/settings", true],
  ["account", () => "/settings/account", true],
  ["delete account", () => "/settings/account/delete", true],
  ["a message's link", () => `${ids.link}?stop=email`, false],
  ["a link that is not ours", () => "/r/none", false],
  ["not found", () => "/reminders/none", true],
];

async function open(path: string, signedIn: boolean, options: Parameters<typeof visit>[1]): Promise<Page> {
  const context = await visit(browser, {
    reducedMotion: "reduce",
    ...options,
    ...(signedIn ? { storageState: state } : {}),
  });
  const page = await context.newPage();
  page.on("dialog", (dialog) => problems.push(`a dialog opened: ${dialog.message()}`));
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (line) => {
    // The browser itself logs an answer of 404, which one of the pages is.
    if (line.type() === "error" && !/404/.test(line.text())) problems.push(line.text());
  });
  await show(page, path);
  return page;
}

async function show(page: Page, path: string): Promise<void> {
  await page.goto(`${stack.app}${path}`);
  await page.getByText("Loading your reminders").waitFor({ state: "detached" });
}

/** One window for whoever is signed in and one for whoever is not look at page after page. */
const windows = new Map<boolean, Page>();

describe.each(PAGES)("%s", (_name, path, signedIn) => {
  test("fits 320 px, has one h1, a title of its own, no error and nothing that axe objects to at 375 and 1280 px, light and dark", async () => {
    problems.length = 0;
    const page = windows.get(signedIn) ?? (await open(path(), signedIn, {}));
    windows.set(signedIn, page);
    await page.setViewportSize({ width: 320, height: 700 });
    await show(page, path());
    const overflow = await page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement;
      return scrollWidth - clientWidth;
    });
    expect(overflow).toBeLessThanOrEqual(0);
    expect(await page.locator("h1").count()).toBe(1);
    expect(await page.locator("main").count()).toBe(1);
    expect(await page.title()).toMatch(path() === "/" ? /^Punctual$/ : /.+ · Punctual$/);
    for (const width of [375, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await objectionsInBothSchemes(page), `${width} px`).toEqual([]);
    }
    expect(problems).toEqual([]);
  });
});

test("the code page, the open menus and a refused form have nothing that axe objects to", async () => {
  const out = await open("/sign-in", false, { viewport: { width: 375, height: 900 } });
  await out.getByLabel("Email address").fill(freshEmail());
  await out.getByRole("button", { name: "Send me a code" }).click();
  await out.waitForURL("**/sign-in/code");
  expect(await objections(out)).toEqual([]);
  await out.context().close();

  const page = await open(`/reminders/${ids.waiting}`, true, { viewport: { width: 375, height: 900 } });
  await page.locator("summary", { hasText: "Snooze" }).click();
  expect(await objections(page)).toEqual([]);
  await page.locator("summary", { hasText: "Account" }).click();
  expect(await objections(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "Cancel" }).click();
  expect(await objections(page)).toEqual([]);
  await page.goto(`${stack.app}/reminders/new`);
  await page.getByRole("button", { name: "Set reminder" }).click();
  await page.getByText("Say what it is about.").waitFor();
  expect(await objections(page)).toEqual([]);
  await page.context().close();
});

test("the keyboard reaches the content first, and what has focus shows it", async () => {
  const page = await open("/reminders", true, { viewport: { width: 1280, height: 900 } });
  await page.keyboard.press("Tab");
  const skip = page.getByRole("link", { name: "Skip to content" });
  expect(await skip.evaluate((link) => link === document.activeElement)).toBe(true);
  expect((await skip.boundingBox())?.width).toBeGreaterThan(50);
  await page.keyboard.press("Enter");
  expect(await page.evaluate(() => document.activeElement?.id)).toBe("main");
  await page.context().close();
});

test("with the keyboard alone a reminder is set: what, a usual time, and Enter", async () => {
  const page = await open("/reminders/new", true, { viewport: { width: 1280, height: 900 } });
  const into = async (label: string) => {
    for (let tabs = 0; tabs < 30; tabs += 1) {
      const here = await page.evaluate(() => document.activeElement?.id ?? "");
      if (here === label || here.startsWith(label)) return;
      await page.keyboard.press("Tab");
    }
    throw new Error(`the keyboard does not reach ${label}`);
  };
  await into("title");
  await page.keyboard.type("By keyboard");
  await into("when-");
  await page.keyboard.press("Space");
  await page.getByText(/^Due /).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL("**/reminders/*?done=set");
  await page.getByRole("heading", { name: "By keyboard" }).waitFor();
  await page.context().close();
});

test("a phone can keep it on its home screen: a manifest whose icons are there, in their sizes", async () => {
  const page = await open("/", false, {});
  const address = await page.locator("link[rel=manifest]").getAttribute("href");
  const manifest = await (await page.request.get(`${stack.app}${address}`)).json();
  expect(manifest).toMatchObject({ name: "Punctual", display: "standalone", start_url: "/reminders" });
  const sizes = await page.evaluate(
    (icons) =>
      Promise.all(
        icons.map(async ({ src }) => {
          const image = new Image();
          image.src = src;
          await image.decode();
          return `${image.naturalWidth}x${image.naturalHeight}`;
        }),
      ),
    manifest.icons.filter(({ type }: { type: string }) => type === "image/png") as { src: string }[],
  );
  expect(sizes).toEqual(["192x192", "512x512", "512x512"]);
  const apple = await page.locator("link[rel=apple-touch-icon]").getAttribute("href");
  expect((await page.request.get(`${stack.app}${apple}`)).status()).toBe(200);
  await page.context().close();
});
