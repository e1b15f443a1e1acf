import "next/dist/server/node-environment-baseline";
import { expect, test } from "vitest";
import { UNSENT } from "../../../app/_forms/form-state";
import { resendCode, sendCode } from "../../../app/sign-in/actions";
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
