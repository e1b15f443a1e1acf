import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { makeApiKey } from "../bench/load";
import { launchBrowser } from "../support/browser";
import { fillDeliveries } from "../support/ledger-fill";
import { type Stack, startStack, until } from "../support/stack";
import { signInAs, withDatabase } from "./operators";
import { addPhone } from "./visitor";

/** Five hundred, as after a bad hour. */
const WOULD_SEND = 450;
const AMBIGUOUS = 30;
const EXPIRED = 20;

/** The ramp sends one a second, then two, four and at most eight, a fifth of the rate; a pause begins it again. */
const DRILL_MS = 300_000;

/** Set by somebody while the redrive goes: one each ten seconds. */
const FRESH = 15;

let stack: Stack;
let browser: Browser;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  stack = await startStack(inject("testDatabases"));
  browser = await launchBrowser();
  ({ context } = await signInAs(browser, stack, "operator"));
  page = await context.newPage();
  // The code that is texted makes the partition of the account.
  await addPhone(page, stack, "+12025550177");
  await withDatabase(stack, async (sql) => {
    const [row] = await sql<
      { key: string }[]
    >`select key from partitions where channel = 'sms' order by created_at desc`;
    const rows = {
      channel: "sms",
      partition: row?.key ?? "",
      state: "dead",
      content: { text: "Water the plants", segments: 1 },
    } as const;
    const rejected = {
      reason: "message_rejected",
      lastClass: "message_rejected",
      status: 400,
      code: "30007",
    };
    await fillDeliveries(sql, { ...rows, ...rejected, count: WOULD_SEND });
    await fillDeliveries(sql, { ...rows, ...rejected, count: EXPIRED, usefulMs: -1_000 });
    await fillDeliveries(sql, {
      ...rows,
      count: AMBIGUOUS,
      reason: "outcome_unknown",
      lastClass: "ambiguous",
      unresolved: true,
    });
  });
});

afterAll(async () => {
  await browser?.close();
  await stack?.stop();
});

const control = (method: "PUT" | "DELETE", settings?: object) =>
  fetch(`${stack.standins}/control/twilio`, {
    method,
    ...(settings === undefined
      ? {}
      : { body: JSON.stringify(settings), headers: { "content-type": "application/json" } }),
  });

/** Texts that somebody else wants meanwhile. */
async function wantFresh(): Promise<void> {
  const apiKey = "pk_of_the_redrive_drill_of_the_console";
  await withDatabase(stack, (sql) => makeApiKey(sql, apiKey));
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  const ask = async (method: string, path: string, body: object) => {
    const answer = await fetch(`${stack.app}/api/v1/${path}`, {
      method,
      headers,
      body: JSON.stringify(body),
    });
    expect(answer.ok, await answer.clone().text()).toBe(true);
  };
  await ask("PUT", "subscribers/fresh", { phone: "+12025550188", timeZone: "UTC", verified: true });
  for (let number = 1; number <= FRESH; number += 1) {
    const dueAt = new Date(Date.now() + number * 6_000).toISOString();
    await ask("POST", "reminders", {
      subscriber: "fresh",
      title: `Fresh ${number}`,
      dueAt,
      channels: ["sms"],
    });
  }
}

/** That they were all sent inside the promise of their lane, as the gate found that is stored with the redrive. */
async function expectFreshOnTime(): Promise<void> {
  await withDatabase(stack, async (sql) => {
    // On a fast machine the redrive has ended before the last of them is due.
    await until("the fresh ones have been sent", DRILL_MS, async () => {
      const [fresh] = await sql<{ sent: number }[]>`select count(*)::int as sent from deliveries d
        join subscribers s on s.id = d.subscriber_id where s.external_id = 'fresh' and d.state = 'delivered'`;
      return fresh?.sent === FRESH;
    });
    const [lateness] = await sql<{ ok: boolean; value: number }[]>`
      select (m->>'ok')::boolean as ok, (m->>'value')::float8 as value from redrives, jsonb_array_elements(gate->'measures') m
      where m->>'channel' = 'sms' and m->>'lane' = 'standard' and m->>'measure' = 'p99_due_to_accepted_ms'`;
    expect(lateness).toMatchObject({ ok: true, value: expect.any(Number) });
  });
}

async function redriven(): Promise<Record<string, number>> {
  return withDatabase(stack, async (sql) => {
    const found = await sql<{ state: string; count: number }[]>`
      select state, count(*)::int as count from deliveries where redrive_id is not null group by state`;
    return Object.fromEntries(found.map((row) => [row.state, row.count]));
  });
}

test("the drill: five hundred dead letters, cause, preview, a redrive that pauses itself on 429, resumes and sends each once", async () => {
  await page.goto(`${stack.app}/ops/dead-letters?channel=sms`);
  await page.getByText("400 · 30007 · message rejected").filter({ visible: true }).first().waitFor();
  await page.getByRole("link", { name: `Redrive these ${WOULD_SEND + AMBIGUOUS + EXPIRED}…` }).click();
  await page.getByRole("button", { name: `Preview these ${WOULD_SEND + AMBIGUOUS + EXPIRED}` }).click();
  await page.waitForURL(/\/ops\/redrives\/[0-9a-f-]{36}$/);
  for (const [verdict, count] of [
    ["would be sent", WOULD_SEND],
    ["ambiguous", AMBIGUOUS],
    ["expired", EXPIRED],
  ] as const) {
    const row = page
      .getByRole("row")
      .filter({ has: page.getByRole("rowheader", { name: verdict, exact: true }) });
    expect(await row.getByRole("cell").first().textContent(), verdict).toBe(String(count));
  }
  const confirm = page.getByRole("button", { name: `Redrive ${WOULD_SEND} messages` });
  await page.getByLabel("Reason").fill("The sender is registered now");
  await page.getByLabel("How many would be sent?").fill("7");
  await confirm.click();
  await page.getByText(/What you type must be the number of messages/).waitFor();
  expect(await redriven()).toEqual({});
  await page.getByLabel("How many would be sent?").fill(String(WOULD_SEND));
  await wantFresh();
  await confirm.click();
  await page.getByText("The redrive has started with its canaries").waitFor();

  await until(
    `its canaries are through\n${stack.tail()}`,
    DRILL_MS,
    async () => ((await redriven()).delivered ?? 0) >= 8,
  );
  await control("PUT", { fault: "throttle", retryAfter: "seconds" });
  await page.getByText("It paused itself").waitFor({ timeout: DRILL_MS });
  await page.getByText(/of the last \d+ calls were answered 429/).waitFor();
  await control("DELETE");
  await page.getByRole("link", { name: "Resume redrive…" }).click();
  await page.getByLabel("Reason").fill("The provider has recovered");
  await page.getByRole("button", { name: /^Resume the redrive/ }).click();
  await page.getByText("It goes on, with its canaries first.").waitFor();
  await page.getByText("Finished", { exact: true }).waitFor({ timeout: DRILL_MS });
  expect(await redriven()).toEqual({ delivered: WOULD_SEND });
  await expectFreshOnTime();

  const summary = (await (await fetch(`${stack.standins}/ledger/summary?provider=twilio`)).json()) as Record<
    string,
    number
  >;
  expect(summary).toMatchObject({ accepted: WOULD_SEND + FRESH + 1, duplicates: 0 });
  await page.goto(`${stack.app}/ops/dead-letters`);
  await page.getByText(`${AMBIGUOUS + EXPIRED} dead letters.`).waitFor();
  await page.goto(`${stack.app}/ops/audit`);
  for (const reason of ["The sender is registered now", "The provider has recovered"])
    await page.getByText(reason).waitFor();
}, 900_000);

test("an unknown outcome is resolved by what somebody found out, and a dead letter is dismissed and taken back", async () => {
  const [unknown, dead] = await withDatabase(stack, async (sql) => {
    const found = await sql<{ reference: string }[]>`
      select distinct on (reason) reference from deliveries where state = 'dead' order by reason desc`;
    return found.map((row) => row.reference);
  });
  await page.goto(`${stack.app}/ops/deliveries/${unknown}`);
  await page.getByRole("link", { name: "Resolve outcome…" }).click();
  await page.getByLabel("Reason").fill("The shopper has answered it");
  await page.getByRole("button", { name: "Resolve this outcome" }).click();
  await page.getByText("Choose one.").waitFor();
  await page.getByLabel("It arrived").check();
  await page.getByRole("button", { name: "Resolve this outcome" }).click();
  await page.getByText("It ends as delivered, on your word.").waitFor();
  await page.getByText("“The shopper has answered it”").waitFor();

  await page.goto(`${stack.app}/ops/deliveries/${dead}`);
  await page.getByRole("link", { name: "Dismiss it…" }).click();
  await page.getByLabel("Reason").fill("Of no use to anybody");
  await page.getByRole("button", { name: "Dismiss this dead letter" }).click();
  await page.getByRole("link", { name: "Take the dismissal back…" }).click();
  await page.getByLabel("Reason").fill("It is, after all");
  await page.getByRole("button", { name: /^Take the dismissal/ }).click();
  await page.getByRole("link", { name: "Dismiss it…" }).waitFor();
});
