"use server";

import { refresh } from "next/cache";
import { after } from "next/server";
import { CODE_USEFUL_SECONDS, openNotice } from "../../../../db/notices";
import { confirmPhoneCode, startPhoneCode } from "../../../../db/phone-codes";
import { CHANNELS } from "../../../../db/rules/api-schemas";
import type { Result } from "../../../../db/rules/errors";
import { checkPhone } from "../../../../db/rules/phone";
import { readShopper, setChannelWanted } from "../../../../db/shoppers";
import { retireDestination } from "../../../../db/subscribers";
import { dispatchAll } from "../../../../inngest/dispatch";
import { renderPhoneCode } from "../../../../inngest/messages/render";
import { requireActing } from "../../../_auth/session";
import { type FormState, stateOfProblem, textOf, textsOf } from "../../../_forms/form-state";

const HERE = "/settings/channels";

const FIELDS = {
  phone: { name: "phone", label: "The number" },
  code: { name: "code", label: "The code" },
};

/** Adds a phone number and texts it a code, through the system itself. */
export async function addPhone(before: FormState, form: FormData): Promise<FormState> {
  const { subscriberId } = await requireActing(HERE);
  const values = textsOf(form, ["phone"]);
  const phone = checkPhone("phone", textOf(form, "phone"));
  const sent = phone.ok ? await textCode(subscriberId, phone.value) : phone;
  if (!sent.ok) return stateOfProblem(sent.problem, before, values, FIELDS);
  refresh();
  return { values: {}, errors: {}, message: null, answer: before.answer + 1 };
}

async function textCode(subscriberId: string, phone: string): Promise<Result<unknown>> {
  const started = await startPhoneCode(subscriberId, phone);
  if (!started.ok) return started;
  const { destinationId, code } = started.value;
  const locale = (await readShopper(subscriberId))?.locale;
  const { sms } = renderPhoneCode({ code, minutes: Math.floor(CODE_USEFUL_SECONDS / 60), locale });
  const notice = {
    subscriberId,
    destinationId,
    template: "phone-code" as const,
    content: sms,
    cost: sms.segments,
  };
  const opened = await openNotice(notice);
  if (opened.ok) after(() => dispatchAll([opened.value.partition]));
  return opened;
}

/** Proves a number with the code that was texted to it. */
export async function confirmPhone(
  destinationId: string,
  before: FormState,
  form: FormData,
): Promise<FormState> {
  const { subscriberId } = await requireActing(HERE);
  const confirmed = await confirmPhoneCode(subscriberId, destinationId, textOf(form, "code"));
  if (!confirmed.ok) return stateOfProblem(confirmed.problem, before, textsOf(form, ["code"]), FIELDS);
  refresh();
  return { values: {}, errors: {}, message: null, answer: before.answer + 1 };
}

/** Removes one of the person's own numbers or devices; somebody else's is as absent as a missing one. */
export async function removeDestination(destinationId: string): Promise<void> {
  const { subscriberId } = await requireActing(HERE);
  await retireDestination(subscriberId, destinationId);
  refresh();
}

/** Turns a channel on or off for reminders. */
export async function wantChannel(name: string, wanted: boolean): Promise<void> {
  const { subscriberId } = await requireActing(HERE);
  const channel = CHANNELS.find((known) => known === name);
  if (channel !== undefined) await setChannelWanted(subscriberId, channel, wanted === true);
  refresh();
}
