import "server-only";
import { AsyncLocalStorage } from "node:async_hooks";
import { after } from "next/server";
import { CODE_USEFUL_SECONDS, openNotice } from "../../db/notices";
import { checkEmailAddress } from "../../db/rules/email-address";
import { ok, type Result } from "../../db/rules/errors";
import { subscriberForSignIn } from "../../db/sign-in-subscriber";
import { dispatchAll } from "../../inngest/dispatch";
import { renderSignInCode } from "../../inngest/messages/render";

/** What the page that asks for a code knows, and what became of sending it. */
export interface CodeRequest {
  timeZone: string;
  locale: string;
  sent?: Result<null>;
}

/** The library calls back without an answer and swallows errors; this carries both past it. */
export const codeRequest = new AsyncLocalStorage<CodeRequest>();

/**
 * Sends a sign-in code through the system itself: a notice in the urgent lane, admitted right after the answer. A crash
 * in between leaves it to the sweep.
 */
export async function sendSignInCode(email: string, code: string): Promise<void> {
  const request = codeRequest.getStore() ?? { timeZone: "UTC", locale: "en" };
  const address = checkEmailAddress("email", email);
  if (!address.ok) {
    request.sent = address;
    return;
  }
  const { subscriberId, destinationId } = await subscriberForSignIn(address.value, {
    timeZone: request.timeZone,
    locale: request.locale,
  });
  const minutes = Math.floor(CODE_USEFUL_SECONDS / 60);
  const { email: content } = await renderSignInCode({ code, minutes, locale: request.locale });
  const opened = await openNotice({
    subscriberId,
    destinationId,
    template: "sign-in-code",
    content,
    cost: 1,
  });
  request.sent = opened.ok ? ok(null) : opened;
  if (opened.ok) after(() => dispatchAll([opened.value.partition]));
}
