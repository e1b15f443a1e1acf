"use server";

import { refresh } from "next/cache";
import { after } from "next/server";
import { CODE_USEFUL_SECONDS, openNotice } from "../../../../db/notices";
import { confirmPhoneCode, startPhoneCode } from "../../../../db/phone-codes";
import { takeTurn } from "../../../../db/rate-limits";
import { CHANNELS } from "../../../../db/rules/api-schemas";
import type { Result } from "../../../../db/rules/errors";
import { callingCode, checkPhone } from "../../../../db/rules/phone";
import { checkClockTime } from "../../../../db/rules/quiet-hours";
import { USUAL_SMS_HOURS } from "../../../../db/rules/sms-hours";
import { checkText } from "../../../../db/rules/text";
import { describeDestination, setSmsHours } from "../../../../db/shopper-choices";
import { readShopper, setChannelWanted, TOPICS } from "../../../../db/shoppers";
import { retireDestination } from "../../../../db/subscribers";
import { dispatchAll } from "../../../../inngest/dispatch";
import { renderDeviceTest, renderPhoneCode } from "../../../../inngest/messages/render";
import { requireActing } from "../../../_auth/session";
import {
  answerAfter,
  type FormState,
  hasField,
  stateOfProblem,
  textOf,
  textsOf,
} from "../../../_forms/form-state";
import { pageLanguage } from "../../../_language/language";
import { visitor } from "../../../_shell/visitor";

const HERE = "/settings/channels";

async function speak() {
  const language = await pageLanguage();
  const { phone, code } = language.words.phone.fields;
  return {
    language,
    fields: { phone: { name: "phone", label: phone }, code: { name: "code", label: code } },
  };
}

/** Adds a phone number and texts it a code, through the system itself. */
export async function addPhone(before: FormState, form: FormData): Promise<FormState> {
  const { subscriberId } = await requireActing(HERE);
  const values = textsOf(form, ["phone"]);
  const phone = checkPhone("phone", textOf(form, "phone"));
  const sent = phone.ok ? await textCode(subscriberId, phone.value) : phone;
  const { fields, language } = await speak();
  if (!sent.ok) return stateOfProblem(sent.problem, before, values, fields, language);
  if (hasField(form, "hoursAsked")) {
    await setSmsHours(subscriberId, textOf(form, "daytime") === "on" ? { ...USUAL_SMS_HOURS } : null);
  }
  refresh();
  return { values: {}, errors: {}, message: null, answer: answerAfter(before) };
}

/** Chooses the hours in which text messages may come. */
export async function saveSmsHours(form: FormData): Promise<void> {
  const { subscriberId } = await requireActing(HERE);
  const from = checkClockTime("smsFrom", textOf(form, "smsFrom"));
  const until = checkClockTime("smsUntil", textOf(form, "smsUntil"));
  const limited = textOf(form, "smsLimited") === "on";
  const hours =
    from.ok && until.ok && from.value !== until.value ? { from: from.value, until: until.value } : null;
  if (!limited || hours !== null) {
    const { partitions } = await setSmsHours(subscriberId, limited ? hours : null);
    if (partitions.length > 0) after(() => dispatchAll(partitions));
  }
  refresh();
}

/** A name on a device is a few words. */
const LABEL_CHARACTERS_MAX = 80;

/** Names a device and limits what comes to an address in a day. */
export async function describe(destinationId: string, form: FormData): Promise<void> {
  const { subscriberId } = await requireActing(HERE);
  const label = checkText("label", textOf(form, "label"), {
    maxLength: LABEL_CHARACTERS_MAX,
    required: false,
    multiline: false,
  });
  const limit = textOf(form, "dailyLimit");
  await describeDestination(subscriberId, destinationId, {
    ...(hasField(form, "label") && label.ok ? { label: label.value === "" ? null : label.value } : {}),
    dailyLimit: /^\d{1,3}$/.test(limit) ? Number(limit) : null,
  });
  refresh();
}

/** Sends a test to one device, through the system itself, and says what that came to. */
export async function testDevice(destinationId: string, before: FormState): Promise<FormState> {
  const { subscriberId } = await requireActing(HERE);
  const shopper = await readShopper(subscriberId);
  const opened = await openNotice({
    subscriberId,
    destinationId,
    template: "device-test",
    content: renderDeviceTest(shopper?.locale),
    cost: 1,
  });
  const answer = answerAfter(before);
  const { fields, language } = await speak();
  if (!opened.ok) return stateOfProblem(opened.problem, before, {}, fields, language);
  after(() => dispatchAll([opened.value.partition]));
  return { values: {}, errors: {}, message: language.words.devices.tested, answer };
}

async function textCode(subscriberId: string, phone: string): Promise<Result<unknown>> {
  const turn = await takeTurn([
    { limit: "phoneNumber", subject: phone, why: "This number was sent several codes. Use the newest one." },
    { limit: "phoneAccount", subject: subscriberId, why: "Too many numbers were tried today." },
    {
      limit: "phoneVisitor",
      subject: await visitor(),
      why: "Too many codes were asked for from here. Wait some minutes, then try again.",
    },
    {
      limit: "phoneCountry",
      subject: callingCode(phone),
      why: "Too many codes go to this country at the moment. Try again in a while.",
    },
  ]);
  if (!turn.ok) return turn;
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
  const { fields, language } = await speak();
  if (!confirmed.ok)
    return stateOfProblem(confirmed.problem, before, textsOf(form, ["code"]), fields, language);
  refresh();
  return { values: {}, errors: {}, message: null, answer: answerAfter(before) };
}

/** Removes one of the person's own numbers or devices; somebody else's is as absent as a missing one. */
export async function removeDestination(destinationId: string): Promise<void> {
  const { subscriberId } = await requireActing(HERE);
  await retireDestination(subscriberId, destinationId);
  refresh();
}

/** Turns a channel on or off for a topic. */
export async function wantChannel(about: string, name: string, wanted: boolean): Promise<void> {
  const { subscriberId } = await requireActing(HERE);
  const channel = CHANNELS.find((known) => known === name);
  const topic = TOPICS.find((known) => known === about);
  if (channel !== undefined && topic !== undefined) {
    await setChannelWanted(subscriberId, topic, channel, wanted === true);
  }
  refresh();
}
