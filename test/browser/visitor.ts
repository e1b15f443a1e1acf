import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { expect } from "vitest";
import type { Stack } from "../support/stack";
import { until } from "../support/stack";

/** What the stand-ins show of a message that a provider accepted. */
export interface InboxMessage {
  channel: "email" | "sms" | "push";
  to: string;
  subject: string | null;
  text: string | null;
  url?: string;
}

/** The longest that a message may take from being due to being in the inbox on a busy machine. */
export const DELIVERY_MS = 60_000;

/** A zone that is not the server's, so that a time in the wrong one is seen. */
export const ZONE = "America/New_York";

let people = 0;

/** An address that nobody else uses. */
export function freshEmail(): string {
  people += 1;
  return `visitor-${people}-${process.pid}@shopper.example`;
}

/** The longest that a page may take to show what it is to show, beside the other tests. */
export const PAGE_MS = 60_000;

/** A browser of its own for one person. */
export async function visit(browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await browser.newContext({ timezoneId: ZONE, locale: "en-GB", ...options });
  context.setDefaultTimeout(PAGE_MS);
  return context;
}

/** What a provider's stand-in has accepted for an address, newest first. */
export async function inboxOf(
  stack: Stack,
  channel: InboxMessage["channel"],
  to: string,
): Promise<InboxMessage[]> {
  const query = new URLSearchParams({ channel, to });
  const response = await fetch(`${stack.standins}/inbox.json?${query}`);
  return (await response.json()) as InboxMessage[];
}

/** Waits for a message and returns it. */
export async function arrival(
  stack: Stack,
  channel: InboxMessage["channel"],
  to: string,
  wanted: (message: InboxMessage) => boolean,
): Promise<InboxMessage> {
  let found: InboxMessage | undefined;
  await until(`a message by ${channel} to ${to}\n${stack.tail()}`, DELIVERY_MS, async () => {
    found = (await inboxOf(stack, channel, to)).find(wanted);
    return found !== undefined;
  });
  return found as InboxMessage;
}

const codeIn = (text: string | null) => /\b\d{6}\b/.exec(text ?? "")?.[0] ?? "";

const isCode = (message: InboxMessage) => /sign-in code/.test(message.subject ?? "");

/** The sign-in code that was mailed last; with `after`, once there are more mails with a code than that. */
export async function mailedCode(stack: Stack, email: string, after = 0): Promise<string> {
  await until(`a code for ${email}\n${stack.tail()}`, DELIVERY_MS, async () => {
    return (await inboxOf(stack, "email", email)).filter(isCode).length > after;
  });
  return codeIn((await arrival(stack, "email", email, isCode)).subject);
}

/** The code that was texted last. */
export async function textedCode(stack: Stack, phone: string): Promise<string> {
  const text = await arrival(stack, "sms", phone, (message) => /Punctual code/.test(message.text ?? ""));
  return codeIn(text.text);
}

/** Signs in as a person does: the address, the mail, the code. */
export async function signIn(page: Page, stack: Stack, email: string, path = "/reminders"): Promise<void> {
  const before = (await inboxOf(stack, "email", email)).filter(isCode).length;
  await page.goto(`${stack.app}/sign-in?next=${encodeURIComponent(path)}`);
  await page.getByLabel("Email address").fill(email);
  await page.getByRole("button", { name: "Send me a code" }).click();
  await page.waitForURL("**/sign-in/code");
  await page.getByLabel("Code", { exact: true }).fill(await mailedCode(stack, email, before));
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(`${stack.app}${path}`);
}

/** What the clock on the wall shows in the visitor's zone, so many minutes from now. */
export function wallClock(minutesAhead: number): { date: string; time: string } {
  const at = new Date(Date.now() + minutesAhead * 60_000);
  const parts = new Intl.DateTimeFormat("sv-SE", {
    timeZone: ZONE,
    dateStyle: "short",
    timeStyle: "short",
  }).format(at);
  const [date = "", time = ""] = parts.split(" ");
  return { date, time };
}

export interface NewReminder {
  title: string;
  minutesAhead: number;
  channels: readonly ("Email" | "SMS" | "Push")[];
}

/** Fills in the form of a new reminder. */
export async function fillReminder(page: Page, stack: Stack, reminder: NewReminder): Promise<void> {
  await page.goto(`${stack.app}/reminders/new`);
  await page.getByLabel("What").fill(reminder.title);
  const { date, time } = wallClock(reminder.minutesAhead);
  await page.getByLabel("Date").fill(date);
  await page.getByLabel("Time", { exact: true }).fill(time);
  for (const channel of ["Email", "SMS", "Push"] as const) {
    const box = page.getByRole("checkbox", { name: channel });
    if (await box.isEnabled()) await box.setChecked(reminder.channels.includes(channel));
    else expect(reminder.channels, `${channel} cannot be chosen`).not.toContain(channel);
  }
}

/** Sets a reminder as a person does, and stays on its page. Returns its id. */
export async function setReminder(page: Page, stack: Stack, reminder: NewReminder): Promise<string> {
  await fillReminder(page, stack, reminder);
  await page.getByRole("button", { name: "Set reminder" }).click();
  await page.waitForURL("**/reminders/*?done=set");
  return new URL(page.url()).pathname.split("/").at(-1) ?? "";
}

/** The words beside a channel in a reminder's story. */
export async function storyOf(page: Page, channel: string): Promise<string> {
  const entry = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: channel }) });
  // biome-ignore lint/performance/useDomNodeTextContent: the words of neighbouring elements must not run together
  return (await entry.first().innerText()).replace(/\s+/g, " ");
}

/** Waits until the story of a channel says this; the page reads itself again meanwhile. */
export async function untilStory(page: Page, stack: Stack, channel: string, words: RegExp): Promise<void> {
  let last = "";
  await until(`${channel} says ${words}`, DELIVERY_MS, async () => {
    last = await storyOf(page, channel).catch(() => "");
    return words.test(last);
  }).catch((error: Error) => {
    throw new Error(`${error.message}, but: ${last}\n${stack.tail()}`);
  });
}

/** Registers a simulated device of the stand-in push service through the browser that is signed in. */
export async function addDevice(page: Page, stack: Stack): Promise<string> {
  await page.goto(`${stack.app}/settings/channels`);
  const made = await fetch(`${stack.standins}/push-devices`, { method: "POST" });
  const device = (await made.json()) as { endpoint: string; keys: { p256dh: string; auth: string } };
  const status = await page.evaluate(async ({ endpoint, keys }) => {
    const response = await fetch("/api/devices", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ subscription: { endpoint, expirationTime: null, keys } }),
    });
    return response.status;
  }, device);
  expect(status).toBe(201);
  return device.endpoint;
}

/** Adds a number and proves it with the code that is texted to it. */
export async function addPhone(page: Page, stack: Stack, phone: string): Promise<void> {
  await page.goto(`${stack.app}/settings/channels`);
  await page.getByLabel("Phone number").fill(phone);
  // The suite runs at any hour.
  await page.getByLabel("Text me only between").uncheck();
  await page.getByRole("button", { name: "Text me a code" }).click();
  await page.getByLabel("Code from the text message").fill(await textedCode(stack, phone));
  await page.getByRole("button", { name: "Confirm number" }).click();
  await page.getByLabel("Another number in its place").waitFor();
}

/** The hidden fields of the first form in a page's source: what a browser without script would send with it. */
export function fieldsIn(html: string): Record<string, string> {
  const main = html.slice(html.indexOf("<main"));
  const form = main.slice(main.indexOf("<form"), main.indexOf("</form>"));
  const fields = [...form.matchAll(/<input type="hidden"[^>]*>/g)].map(([tag]) => {
    const name = /name="([^"]*)"/.exec(tag)?.[1] ?? "";
    const value = /value="([^"]*)"/.exec(tag)?.[1] ?? "";
    return [
      name,
      value.replaceAll("&quot;", '"').replaceAll("&#x27;", "'").replaceAll("&amp;", "&"),
    ] as const;
  });
  expect(fields.length, "a form with hidden fields").toBeGreaterThan(0);
  return Object.fromEntries(fields);
}

/** The same of a page that is fetched. */
export async function plainForm(context: BrowserContext, url: string): Promise<Record<string, string>> {
  return fieldsIn(await (await context.request.get(url)).text());
}
