import type { Page } from "playwright-core";
import { until } from "../../commands/stack-programs";
import { launchBrowser } from "../support/browser";
import type { Bench } from "./bench";
import type { Stage } from "./stage";

/** A phone of the middle class against a desk: what Lighthouse slows its mobile runs by. */
const CPU_SLOWDOWN = 4;

/** After this much quiet the page has done what it does by itself. */
const QUIET_MS = 2_000;

const EMAIL = "bench@shopper.example";

/** What a shopper's phone has to fetch and run before the pages answer. */
export const bench: Bench = {
  question: "JavaScript shipped to a shopper's pages, and when they answer on a phone's CPU",
  floor: "the framework alone, about 150 kB compressed",
  rates: { email: 100 },
  parameters: () => ({ cpuSlowdown: CPU_SLOWDOWN, width: 375 }),
  targets: {
    remindersScriptKb: { atMost: 220 },
    composerScriptKb: { atMost: 300 },
    remindersInteractiveMs: { atMost: 3_800 },
    composerInteractiveMs: { atMost: 3_800 },
  },
  async run(stage) {
    const browser = await launchBrowser();
    try {
      const context = await browser.newContext({ viewport: { width: 375, height: 800 } });
      const page = await context.newPage();
      await signIn(page, stage);
      const state = await context.storageState();
      const measure = async (path: string) => {
        // A context of its own: nothing is cached, as at the first visit.
        const fresh = await browser.newContext({
          viewport: { width: 375, height: 800 },
          storageState: state,
        });
        const visited = await fresh.newPage();
        const found = await visit(visited, `${stage.app}${path}`);
        await fresh.close();
        return found;
      };
      const reminders = await measure("/reminders");
      const composer = await measure("/reminders/new");
      return {
        remindersScriptKb: reminders.scriptKb,
        remindersInteractiveMs: reminders.interactiveMs,
        remindersBlockedMs: reminders.blockedMs,
        composerScriptKb: composer.scriptKb,
        composerInteractiveMs: composer.interactiveMs,
        composerBlockedMs: composer.blockedMs,
      };
    } finally {
      await browser.close();
    }
  },
};

async function signIn(page: Page, stage: Stage): Promise<void> {
  await page.goto(`${stage.app}/sign-in`);
  await page.getByLabel("Email address").fill(EMAIL);
  await page.getByRole("button", { name: "Send me a code" }).click();
  await page.waitForURL("**/sign-in/code");
  let code = "";
  await until("the sign-in code is mailed", 30_000, async () => {
    const inbox = await fetch(`${stage.standins}/inbox.json?channel=email&to=${encodeURIComponent(EMAIL)}`);
    const [mail] = (await inbox.json()) as { subject: string | null }[];
    code = /\b\d{6}\b/.exec(mail?.subject ?? "")?.[0] ?? "";
    return code !== "";
  });
  await page.getByLabel("Code", { exact: true }).fill(code);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL("**/reminders");
}

/** Scripts as they travel, and when the last long task ends: from then on a tap is answered at once. */
async function visit(page: Page, url: string) {
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: CPU_SLOWDOWN });
  await page.addInitScript(() => {
    const tasks: { start: number; ms: number }[] = [];
    Object.assign(window, { longTasks: tasks });
    new PerformanceObserver((list) => {
      for (const task of list.getEntries()) tasks.push({ start: task.startTime, ms: task.duration });
    }).observe({ type: "longtask", buffered: true });
  });
  await page.goto(url, { waitUntil: "networkidle" });
  await page.waitForTimeout(QUIET_MS);
  return page.evaluate(() => {
    const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
    const scripts = (performance.getEntriesByType("resource") as PerformanceResourceTiming[]).filter(
      ({ name, initiatorType }) => initiatorType === "script" || /\.js(\?|$)/.test(name),
    );
    const tasks = (window as unknown as { longTasks: { start: number; ms: number }[] }).longTasks;
    const ready = navigation?.domContentLoadedEventEnd ?? 0;
    return {
      scriptKb: scripts.reduce((sum, script) => sum + script.encodedBodySize, 0) / 1024,
      interactiveMs: Math.max(ready, ...tasks.map(({ start, ms }) => start + ms)),
      blockedMs: tasks.reduce((sum, { ms }) => sum + Math.max(0, ms - 50), 0),
    };
  });
}
