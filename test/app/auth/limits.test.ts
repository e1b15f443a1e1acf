import "next/dist/server/node-environment-baseline";
import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { type FormState, UNSENT } from "../../../app/_forms/form-state";
import { addPhone } from "../../../app/(signed-in)/settings/channels/actions";
import { confirmCode, resendCode, sendCode } from "../../../app/sign-in/actions";
import { database, rows } from "../../../db/connection";
import { RATE_LIMITS, type RateLimitName } from "../../../db/rules/rate-limit";
import { testClock } from "../../support/database";
import { requestScope } from "../../support/request-scope";
import { signedIn, type Visitor } from "../access/people";

beforeEach(async () => {
  await rows(database(), sql`delete from rate_limits`);
});

let number = 0;

/** An address, a network, a number that no other test has. */
const fresh = () => {
  number += 1;
  return number;
};
const freshEmail = () => `limited-${fresh()}@shopper.example`;
const freshNetwork = () => `198.51.${Math.floor(fresh() / 250)}.${number % 250}`;
const germanNumber = () => `+4915123456${String(fresh() % 1000).padStart(3, "0")}`;

/** Messages that were opened so far, codes and everything. */
async function sent(): Promise<number> {
  const [row] = await rows<{ count: number }>(database(), sql`select count(*)::int as count from deliveries`);
  return row?.count ?? 0;
}

/** What an action ended with: the state that its form shows, or the page that it leads to. */
async function ask(
  action: (before: FormState, form: FormData) => Promise<FormState>,
  fields: Record<string, string>,
  headers: Record<string, string>,
): Promise<FormState | string> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  const scope = requestScope(new Headers(headers));
  return scope
    .run(() => action(UNSENT, form))
    .catch((error: { digest?: string }) => {
      const to = error.digest?.split(";").at(2);
      if (to === undefined) throw error;
      return to;
    });
}

const from = (network: string, more: Record<string, string> = {}) => ({
  "x-forwarded-for": network,
  ...more,
});
const code = (email: string, network: string) => ask(sendCode, { email }, from(network));
const pendingFor = (email: string) =>
  `punctual.sign-in=${encodeURIComponent(JSON.stringify({ email, next: "/reminders" }))}`;

/** Nothing was sent by it, and the page says how to go on. */
async function refused(asked: () => Promise<FormState | string>, words: RegExp): Promise<void> {
  const before = await sent();
  const state = await asked();
  expect(state).toMatchObject({ answer: 1 });
  const { message, errors } = state as FormState;
  expect([message, ...Object.values(errors)].join(" ")).toMatch(words);
  expect(await sent()).toBe(before);
}

const advanceOne = (limit: RateLimitName) => testClock.advance(RATE_LIMITS[limit].everyMs);

describe("sign-in codes", () => {
  test("for one address: refused after its codes, by whichever button, while another address has its own", async () => {
    const email = freshEmail();
    for (let count = 0; count < RATE_LIMITS.signInAddress.burst; count += 1)
      await code(email, freshNetwork());
    await refused(() => code(email, freshNetwork()), /Too many codes.*Wait some minutes/);
    await refused(() => code(email.toUpperCase(), freshNetwork()), /Too many codes/);
    await refused(
      () => ask(resendCode, {}, from(freshNetwork(), { cookie: pendingFor(email) })),
      /Too many codes/,
    );
    expect(await code(freshEmail(), freshNetwork())).toBe("/sign-in/code");
    const before = await sent();
    await testClock.advance(600_000);
    expect(await code(email, freshNetwork())).toBe("/sign-in/code");
    expect(await sent()).toBe(before + 1);
  });

  test("for one visitor, over all addresses: what they claim of themselves makes them nobody else", async () => {
    const network = freshNetwork();
    for (let count = 0; count < RATE_LIMITS.signInVisitor.burst; count += 1)
      expect(await code(freshEmail(), network)).toBe("/sign-in/code");
    for (const claimed of [
      network,
      `192.0.2.1, ${network}`,
      `192.0.2.2,10.0.0.1, ${network}`,
      `${network}:4711`,
    ])
      await refused(() => code(freshEmail(), claimed), /Too many codes/);
    const more = { "x-real-ip": "192.0.2.3", forwarded: "for=192.0.2.4", "x-client-ip": "192.0.2.5" };
    await refused(() => ask(sendCode, { email: freshEmail() }, from(network, more)), /Too many codes/);
    expect(await code(freshEmail(), freshNetwork())).toBe("/sign-in/code");
    await advanceOne("signInVisitor");
    expect(await code(freshEmail(), network)).toBe("/sign-in/code");
    await refused(() => code(freshEmail(), network), /Too many codes/);
  });

  test("guesses of one visitor, over all addresses, are refused before they are compared", async () => {
    const network = freshNetwork();
    const guess = () =>
      ask(confirmCode, { code: "000000" }, from(network, { cookie: pendingFor(freshEmail()) }));
    for (let count = 0; count < RATE_LIMITS.guessVisitor.burst; count += 1)
      expect((await guess()) as FormState).toMatchObject({
        errors: { code: expect.stringContaining("code") },
      });
    await refused(guess, /Too many codes were tried from here\. Wait a minute/);
    await advanceOne("guessVisitor");
    expect(((await guess()) as FormState).errors.code).not.toMatch(/Too many/);
  });
});

describe("codes by text", () => {
  const add = (who: Visitor, phone: string, network = freshNetwork()) =>
    ask(addPhone, { phone }, from(network, who.headers));
  const people = (count: number) => Promise.all(Array.from({ length: count }, () => signedIn("shopper")));

  async function allowed(who: Visitor, phone: string, network?: string): Promise<void> {
    const before = await sent();
    expect(await add(who, phone, network)).toMatchObject({ message: null, errors: {} });
    expect(await sent()).toBe(before + 1);
  }

  test("to one number: refused after a few, from whatever account and however it is written", async () => {
    const phone = germanNumber();
    const accounts = await people(RATE_LIMITS.phoneNumber.burst + 1);
    for (const who of accounts.slice(1)) await allowed(who, phone);
    const [last] = accounts as [Visitor];
    await refused(() => add(last, phone), /several codes/);
    await refused(() => add(last, phone.replace("+49", "0049 ")), /several codes/);
    await allowed(last, germanNumber());
    await advanceOne("phoneNumber");
    await allowed(last, phone);
  });

  test("by one account, to whatever numbers", async () => {
    const [who] = (await people(1)) as [Visitor];
    for (let count = 0; count < RATE_LIMITS.phoneAccount.burst; count += 1) {
      await allowed(who, germanNumber());
      // Codes of the last ten minutes have a limit of their own.
      await testClock.advance(601_000);
    }
    await refused(() => add(who, germanNumber()), /Too many numbers were tried today/);
    const [other] = (await people(1)) as [Visitor];
    await allowed(other, germanNumber());
    await advanceOne("phoneAccount");
    await allowed(who, germanNumber());
  });

  test("by one visitor, from whatever accounts", async () => {
    const network = freshNetwork();
    const accounts = await people(RATE_LIMITS.phoneVisitor.burst + 1);
    for (const who of accounts.slice(1)) await allowed(who, germanNumber(), network);
    const [last] = accounts as [Visitor];
    await refused(() => add(last, germanNumber(), `192.0.2.9, ${network}`), /asked for from here/);
    await allowed(last, germanNumber());
  });

  test("to one country, by everybody together, while another country is written to", async () => {
    const country = { limit: "phoneCountry" as const, subject: "49", why: "" };
    const { takeTurn } = await import("../../../db/rate-limits");
    while ((await takeTurn([country])).ok);
    const [who] = (await people(1)) as [Visitor];
    await refused(() => add(who, germanNumber()), /too many codes go to this country/i);
    await allowed(who, "+12025550123");
    await advanceOne("phoneCountry");
    await allowed(who, germanNumber());
    await refused(() => add(who, germanNumber()), /too many codes go to this country/i);
  });
});
