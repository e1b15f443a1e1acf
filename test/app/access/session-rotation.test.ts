import "next/dist/server/node-environment-baseline";
import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { auth } from "../../../app/_auth/auth";
import { actingShopper } from "../../../app/_auth/session";
import { UNSENT } from "../../../app/_forms/form-state";
import { confirmCode, signOut } from "../../../app/sign-in/actions";
import { database, rows } from "../../../db/connection";
import { requestScope } from "../../support/request-scope";
import { sessionCookie, signedIn } from "./people";

const in_ = <T>(cookie: string, work: () => Promise<T>) =>
  requestScope(new Headers({ cookie, host: "127.0.0.1:3000" })).run(work);

const who = (cookie: string) => in_(cookie, () => actingShopper());

const tokensOf = async (email: string) =>
  (
    await rows<{ token: string }>(
      database(),
      sql`select s.token from auth_sessions s join auth_users u on u.id = s.user_id
        where u.email = ${email} order by s.created_at`,
    )
  ).map(({ token }) => token);

/** Signs in with a right code, in a browser that has this cookie already. */
async function signInOver(cookie: string, email: string, next = "/reminders"): Promise<unknown> {
  const otp = await auth().api.createVerificationOTP({ body: { email, type: "sign-in" } });
  const pending = encodeURIComponent(JSON.stringify({ email, next }));
  const form = new FormData();
  form.set("code", otp);
  return in_(`${cookie}; punctual.sign-in=${pending}`, () => confirmCode(UNSENT, form)).then(
    () => "stayed",
    (error: { digest?: string }) => error.digest?.split(";").at(2),
  );
}

test("the session after signing in is not the one before, whose token is nobody's from then on", async () => {
  const before = await signedIn("shopper");
  const cookie = before.headers.cookie ?? "";
  const email = (await who(cookie))?.email ?? "";
  const [old] = await tokensOf(email);
  await signInOver(cookie, email);
  const [fresh, ...more] = await tokensOf(email);
  expect(more).toEqual([]);
  expect(fresh).not.toBe(old);
  expect(await who(cookie)).toBeNull();
  expect(await who(sessionCookie(fresh ?? ""))).toMatchObject({ email, subscriberId: before.subscriberId });
});

test("somebody else's session in this browser ends when another person signs in", async () => {
  const [former, next] = [await signedIn("shopper"), await signedIn("shopper")];
  const formerCookie = former.headers.cookie ?? "";
  const email = (await who(next.headers.cookie ?? ""))?.email ?? "";
  await signInOver(formerCookie, email);
  expect(await who(formerCookie)).toBeNull();
  expect((await tokensOf(email)).length).toBe(2);
});

test("a token that a stranger has put into the browser does not become a session", async () => {
  const planted = randomUUID();
  const email = `planted-${planted}@shopper.example`;
  for (const secret of [undefined, "another-secret-another-secret-another"]) {
    await signInOver(sessionCookie(planted, secret), email);
    expect(await tokensOf(email)).not.toContain(planted);
  }
  expect(await who(sessionCookie(planted))).toBeNull();
});

test("a token is nobody's after signing out", async () => {
  const { headers } = await signedIn("shopper");
  const cookie = headers.cookie ?? "";
  expect(await who(cookie)).not.toBeNull();
  await expect(in_(cookie, () => signOut())).rejects.toThrow("NEXT_REDIRECT");
  expect(await who(cookie)).toBeNull();
});

test.each(["https://evil.example/", "//evil.example", "/\\evil.example", "/api/auth/sign-out", "/sign-in"])(
  "a cookie that a neighbour's site has set leads nobody to %s after signing in",
  async (next) => {
    const { headers } = await signedIn("shopper");
    const email = (await who(headers.cookie ?? ""))?.email ?? "";
    expect(await signInOver("", email, next)).toBe("/reminders");
    expect(await signInOver("", email, "/settings")).toBe("/settings");
  },
);
