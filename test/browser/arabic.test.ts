import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { launchBrowser } from "../support/browser";
import { type Stack, startStack } from "../support/stack";
import { objectionsInBothSchemes } from "./accessible";
import { arrival, freshEmail, signIn, visit, wallClock } from "./visitor";

const PHONE = { width: 375, height: 812 };

let stack: Stack;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let path = "";
const problems: string[] = [];

beforeAll(async () => {
  stack = await startStack(inject("testDatabases"));
  browser = await launchBrowser();
  context = await visit(browser, { locale: "ar", viewport: PHONE, reducedMotion: "reduce" });
  page = await context.newPage();
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (line) => {
    if (line.type() === "error" && !/404/.test(line.text())) problems.push(line.text());
  });
});

afterAll(async () => {
  await browser?.close();
  await stack?.stop();
});

/** Latin words on the page that stand neither in a time zone, an address, an input nor in what is isolated. */
function latinWords(): string[] {
  const allowed = "bdi, [dir=ltr], [lang]:not(html), select, script, style, title, input, noscript";
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found: string[] = [];
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (node.parentElement?.closest(allowed)) continue;
    const text = (node.textContent ?? "").replace(/\u2068[^\u2069]*\u2069/g, "");
    const rest = text.replace(/Punctual|iPhone|iPad|\(?America\/New_York, GMT[-+]\d+\)?/g, "");
    if (/[A-Za-z]{2}/.test(rest)) found.push(rest.trim());
  }
  return found;
}

async function expectArabic(where: string): Promise<void> {
  for (const width of [320, 375, 1280]) {
    await page.setViewportSize({ width, height: 812 });
    const shape = await page.evaluate(() => {
      const { scrollWidth, clientWidth, dir, lang } = document.documentElement;
      return { overflow: scrollWidth - clientWidth, dir, lang };
    });
    expect({ where, width, ...shape }).toEqual({ where, width, overflow: 0, dir: "rtl", lang: "ar" });
  }
  await page.setViewportSize(PHONE);
  expect(await page.evaluate(latinWords), where).toEqual([]);
  // What its owner wrote is theirs, in whatever script.
  const title = (await page.title()).replace("Call the", "");
  expect(title, where).not.toMatch(/[A-Za-z].* · Punctual$/);
  expect(await objectionsInBothSchemes(page), where).toEqual([]);
  expect(problems, where).toEqual([]);
}

describe("in Arabic, from right to left, at the size of a phone", () => {
  test("signing in speaks the browser's language, and so does the mail", async () => {
    await page.goto(stack.app);
    await expectArabic("the first page");
    const email = freshEmail();
    await page.goto(`${stack.app}/sign-in`);
    await expectArabic("signing in");
    await page.getByLabel("عنوان البريد الإلكتروني").fill("nobody");
    await page.getByRole("button", { name: "أرسل لي رمزًا" }).click();
    await page.getByText("أدخل عنوان بريد إلكتروني").waitFor();
    await page.getByLabel("عنوان البريد الإلكتروني").fill(email);
    await page.getByRole("button", { name: "أرسل لي رمزًا" }).click();
    await page.waitForURL("**/sign-in/code");
    await expectArabic("the code");
    const mail = await arrival(stack, "email", email, ({ subject }) => /رمز/.test(subject ?? ""));
    await page.getByLabel("الرمز", { exact: true }).fill(/\d{6}/.exec(mail.subject ?? "")?.[0] ?? "");
    await page.getByRole("button", { name: "تسجيل الدخول" }).click();
    await page.waitForURL(`${stack.app}/reminders`);
    await page.getByRole("heading", { name: "لا تذكيرات بعد" }).waitFor();
    await expectArabic("the empty list");
  });

  test("a reminder is set, told on its page and found in the list and the calendar", async () => {
    await page.goto(`${stack.app}/reminders/new`);
    await expectArabic("the composer");
    await page.getByRole("button", { name: "اضبط التذكير" }).click();
    await page.getByText("اكتب موضوع التذكير.").waitFor();
    await page.getByLabel("متى، كتابةً بالإنجليزية").fill("someday");
    await page.getByText("غير واضح").waitFor();
    await page.getByLabel("متى، كتابةً بالإنجليزية").fill("tomorrow 9am");
    await page.locator("#typed-echo", { hasText: "09:00" }).waitFor();
    await page.getByLabel("التكرار").selectOption("DAILY");
    await page.getByText("المواعيد القادمة").waitFor();
    await expectArabic("a composer that says what is missing");
    await page.getByLabel("ماذا").fill("Call the دكتور");
    const { date, time } = wallClock(600);
    await page.getByLabel("التاريخ").fill(date);
    await page.getByLabel("الوقت", { exact: true }).fill(time);
    await page.getByRole("button", { name: "اضبط التذكير" }).click();
    await page.waitForURL("**/reminders/*?done=set");
    path = new URL(page.url()).pathname;
    await page.getByText("ضُبط التذكير.").waitFor();
    await page.getByText("كل يوم", { exact: true }).waitFor();
    // Whoever wrote the title chose its letters.
    await page.evaluate(() => {
      for (const title of document.querySelectorAll("h1 span, h2")) title.setAttribute("lang", "und");
    });
    await expectArabic("a reminder's page");
    await page.locator("summary", { hasText: "تأجيل" }).click();
    await page.getByText("10 دقائق").waitFor();
    await page.goto(`${stack.app}${path}/edit`);
    await expectArabic("editing");
    await page.goto(`${stack.app}/reminders`);
    const row = page.getByRole("link", { name: /Call the دكتور/ });
    await row.waitFor();
    expect(await row.textContent()).toMatch(/مجدول/);
    await page.goto(`${stack.app}/reminders/calendar`);
    await page.setViewportSize({ width: 1280, height: 812 });
    await page.getByRole("columnheader", { name: "الاثنين" }).waitFor();
    // A title that does not fit its day loses its own end: it begins where its own direction does.
    const title = page.locator("td bdi", { hasText: "Call the" }).first();
    expect(
      await title.evaluate((one) => [getComputedStyle(one).direction, getComputedStyle(one).textOverflow]),
    ).toEqual(["ltr", "ellipsis"]);
  });

  test("channels, settings and a page that does not exist are wholly in Arabic", async () => {
    for (const where of [
      "/settings/channels",
      "/settings",
      "/settings/account",
      "/settings/account/delete",
      "/reminders?list=past",
      "/nowhere",
    ]) {
      await page.goto(`${stack.app}${where}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.getByText("جارٍ تحميل تذكيراتك").waitFor({ state: "detached" });
      await expectArabic(where);
    }
  });

  test("a cancel is asked for, told and taken back", async () => {
    await page.goto(`${stack.app}${path}/cancel`);
    await page.getByRole("button", { name: "إلغاء التذكير" }).click();
    await page.getByText("أُلغي التذكير.").waitFor();
    await page.getByRole("button", { name: /تراجع/ }).click();
    await page.getByText("سُحب الإلغاء").waitFor();
  });
});

describe("the language that is chosen in the settings", () => {
  test("goes before the browser's, at once and in every page", async () => {
    const other = await visit(browser);
    const tab = await other.newPage();
    const email = freshEmail();
    await signIn(tab, stack, email, "/settings");
    const root = tab.locator("html");
    expect(await root.getAttribute("dir")).toBe("ltr");
    await tab.getByLabel("Language").selectOption("ar");
    await tab.getByRole("button", { name: "Save settings" }).click();
    await tab.getByText("حُفظت.").waitFor();
    await expect.poll(() => root.getAttribute("dir")).toBe("rtl");
    await tab.getByRole("link", { name: "التذكيرات", exact: true }).click();
    await tab.getByRole("heading", { name: "التذكيرات" }).waitFor();
    await tab.goto(`${stack.app}/settings`);
    await tab.getByLabel("اللغة").selectOption("en");
    await tab.getByRole("button", { name: "احفظ الإعدادات" }).click();
    await tab.getByText("Saved.").waitFor();
    await expect.poll(() => root.getAttribute("dir")).toBe("ltr");
    await other.close();
  });

  test("is stored by a form that works without script", async () => {
    const other = await visit(browser, { javaScriptEnabled: false });
    const state = await context.storageState();
    await other.addCookies(state.cookies);
    const tab = await other.newPage();
    await tab.goto(`${stack.app}/settings`);
    await tab.getByLabel("اللغة").selectOption("en");
    await tab.getByRole("button", { name: "احفظ الإعدادات" }).click();
    await tab.getByLabel("Language").waitFor();
    expect(await tab.locator("html").getAttribute("lang")).toBe("en");
    await other.close();
  });
});
