"use server";

import { isAPIError } from "better-auth/api";
import { headers } from "next/headers";
import { redirect } from "next/navigation";
import { takeTurn } from "../../db/rate-limits";
import { checkLocale } from "../../db/rules/api-schemas";
import { checkEmailAddress, mailboxOf } from "../../db/rules/email-address";
import { fail, invalid, type Result } from "../../db/rules/errors";
import { fill, type Words } from "../../db/rules/speech";
import { checkTimeZone } from "../../db/rules/time-zone";
import { endSession } from "../../db/sessions";
import { auth } from "../_auth/auth";
import { nextPath } from "../_auth/next-path";
import { forgetPendingSignIn, readPendingSignIn, rememberPendingSignIn } from "../_auth/pending-sign-in";
import { underCurrentSecret } from "../_auth/session-cookie";
import { type CodeRequest, codeRequest } from "../_auth/sign-in-code";
import {
  answerAfter,
  type FormState,
  sentenceOf,
  stateOfProblem,
  textOf,
  textsOf,
} from "../_forms/form-state";
import { pageLanguage } from "../_language/language";
import { visitor } from "../_shell/visitor";

/**
 * Sends a code to an address and goes on to the page that asks for it. The answer is the same for an address that is
 * known and one that is not.
 */
export async function sendCode(before: FormState, form: FormData): Promise<FormState> {
  const values = textsOf(form, ["email", "next"]);
  const email = checkEmailAddress("email", textOf(form, "email"));
  const language = await pageLanguage();
  const wrong = (): FormState => {
    const errors = { email: fill(language.words.signIn.emailWrong, { example: "name@example.com" }) };
    return { values, errors, message: null, answer: answerAfter(before) };
  };
  if (!email.ok) return wrong();
  const sent = await requestCode(email.value, form);
  if (!sent.ok && sent.problem.code === "invalid_input") return wrong();
  if (!sent.ok && sent.problem.code === "rate_limited")
    return stateOfProblem(sent.problem, before, values, {}, language);
  await rememberPendingSignIn({ email: email.value, next: nextPath(textOf(form, "next")) });
  redirect("/sign-in/code");
}

/** Sends the code once more. */
export async function resendCode(before: FormState, form: FormData): Promise<FormState> {
  const pending = await readPendingSignIn();
  if (pending === null) redirect("/sign-in");
  const sent = await requestCode(pending.email, form);
  const language = await pageLanguage();
  const refused =
    !sent.ok && sent.problem.code === "rate_limited" ? sentenceOf(sent.problem, language) : null;
  if (refused === null) await rememberPendingSignIn(pending);
  return {
    values: { sent: refused === null ? "yes" : "" },
    errors: {},
    message: refused ?? language.words.signIn.sentAgain,
    answer: answerAfter(before),
  };
}

async function requestCode(email: string, form: FormData): Promise<Result<null>> {
  const zone = checkTimeZone("timeZone", textOf(form, "timeZone"));
  const locale = checkLocale("locale", textOf(form, "locale"));
  const request: CodeRequest = {
    timeZone: zone.ok ? zone.value : "UTC",
    locale: locale.ok ? locale.value : (await pageLanguage()).tag,
  };
  const why = "Too many codes were asked for. Wait some minutes, or use the newest one.";
  const turn = await takeTurn([
    { limit: "signInAddress", subject: mailboxOf(email), why },
    { limit: "signInVisitor", subject: await visitor(), why },
  ]);
  if (!turn.ok) return turn;
  const body = { email, type: "sign-in" as const };
  try {
    await codeRequest.run(request, () => auth().api.sendVerificationOTP({ body }));
  } catch (error) {
    // The library takes fewer addresses than we write to: none with `!` in it, no top-level domain in punycode.
    if (!isAPIError(error)) throw error;
    return invalid("email", email, "an address that can sign in");
  }
  if (request.sent !== undefined) return request.sent;
  // The library logs what the sending threw and does not pass it on.
  return fail({ code: "conflict", why: "The code could not be sent." });
}

/** Signs in with the code. What is wrong with a code is told; whether the address was known is not. */
export async function confirmCode(before: FormState, form: FormData): Promise<FormState> {
  const pending = await readPendingSignIn();
  if (pending === null) redirect("/sign-in?expired");
  const language = await pageLanguage();
  const { signIn } = language.words;
  const code = textOf(form, "code").replace(/\D/g, "");
  const refuse = (message: string): FormState => ({
    values: textsOf(form, ["code"]),
    errors: { code: message },
    message: null,
    answer: answerAfter(before),
  });
  if (code === "") return refuse(signIn.sixDigits);
  const why = "Too many codes were tried from here. Wait a minute, then try again.";
  const turn = await takeTurn([{ limit: "guessVisitor", subject: await visitor(), why }]);
  if (!turn.ok) return refuse(sentenceOf(turn.problem, language));
  const incoming = underCurrentSecret(await headers());
  const former = await auth().api.getSession({ headers: incoming, query: { disableRefresh: true } });
  try {
    const body = { email: pending.email, otp: code };
    await auth().api.signInEmailOTP({ body, headers: incoming });
    // Whoever signs in anew leaves no older session of this browser behind.
    if (former !== null) await endSession(former.session.token);
  } catch (error) {
    if (!isAPIError(error)) throw error;
    return refuse(wordsFor(error.body?.code, signIn));
  }
  await forgetPendingSignIn();
  redirect(pending.next);
}

function wordsFor(code: unknown, words: Words["signIn"]): string {
  switch (code) {
    case "OTP_EXPIRED":
      return words.codeOld;
    case "TOO_MANY_ATTEMPTS":
      return words.codeTries;
    default:
      return words.codeWrong;
  }
}

/** Ends the session here. */
export async function signOut(): Promise<void> {
  try {
    await auth().api.signOut({ headers: underCurrentSecret(await headers()) });
  } catch (error) {
    // A session that is over already is what was asked for.
    if (!isAPIError(error)) throw error;
  }
  redirect("/");
}
