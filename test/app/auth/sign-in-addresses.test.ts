import "next/dist/server/node-environment-baseline";
import { expect, test } from "vitest";
import { UNSENT } from "../../../app/_forms/form-state";
import { resendCode, sendCode } from "../../../app/sign-in/actions";
import { RATE_LIMITS } from "../../../db/rules/rate-limit";
import { requestScope } from "../../support/request-scope";

/** Good addresses for mail, by our rule, that the sign-in library refuses. */
const REFUSED = ["a!b@shopper.example", "ada@shopper.xn--p1ai", "ada@пример.рф", "ada@shopper.example٣"];

test.each(REFUSED)(
  "%s, which the sign-in library does not take, is a sentence at its field",
  async (email) => {
    const form = new FormData();
    form.set("email", email);
    const state = await requestScope(new Headers()).run(() => sendCode(UNSENT, form));
    expect(state).toMatchObject({ errors: { email: expect.stringContaining("name@example.com") } });
  },
);

test.each([...REFUSED, "", "nobody", "x@y\r\nBcc: z@shopper.example"])(
  "a cookie that names %j for the second page makes nothing fail",
  async (email) => {
    const cookie = `punctual.sign-in=${encodeURIComponent(JSON.stringify({ email, next: "/" }))}`;
    const state = await requestScope(new Headers({ cookie })).run(() => resendCode(UNSENT, new FormData()));
    expect(state.errors).toEqual({});
  },
);

test("one mailbox is sent ten codes at once, whatever tags its address is given and whoever asks", async () => {
  const states = [];
  for (let count = 0; count < 12; count += 1) {
    const form = new FormData();
    form.set("email", `Bombed+${count}@shopper.example`);
    const headers = new Headers({ "x-forwarded-for": `192.0.2.${count}` });
    states.push(
      await requestScope(headers)
        .run(() => sendCode(UNSENT, form))
        .catch(() => "sent"),
    );
  }
  expect(states.slice(0, RATE_LIMITS.signInAddress.burst).every((state) => state === "sent")).toBe(true);
  expect(states.slice(RATE_LIMITS.signInAddress.burst)).toMatchObject([
    { message: expect.stringContaining("Too many codes") },
    { message: expect.stringContaining("Too many codes") },
  ]);
});
