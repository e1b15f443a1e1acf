import { NOTE_MAX_CHARACTERS } from "../../../db/rules/api-schemas";
import { NOTICE_TEMPLATES } from "../../../db/rules/notice-schemas";
import { DETAIL_MAX_CHARACTERS } from "../../../db/rules/shipment-schemas";
import { MILESTONES } from "../../../db/rules/shipment-status";
import { renderAccountNotice } from "../../../inngest/messages/account-notice";
import { renderForChannels } from "../../../inngest/messages/reminder-payloads";
import { renderPhoneCode, renderSignInCode } from "../../../inngest/messages/render";
import { renderUpdate } from "../../../inngest/messages/shipment-payloads";
import type { Dice } from "../../simulation/dice";
import { text as anyText, MARKUP } from "./inputs";

const CHANNELS = ["email", "sms", "push"] as const;
const LOCALES = ["en", "de", "fr", "ar", "ar-EG", "x", ""];

/** What the ledger can hold of a text: no more than the longest of the API's fields, and nothing that Postgres refuses. */
const text = (dice: Dice, most = NOTE_MAX_CHARACTERS) =>
  anyText(dice).slice(0, most).toWellFormed().replaceAll("\0", "");

/** What a message may not become, whatever it is made of: markup, two lines of a header, or text of half a character. */
function faultOf(content: unknown): string | null {
  const { html = "", subject = "" } = content as { html?: string; subject?: string };
  if (html.includes(MARKUP)) return "markup went into the HTML";
  if (/href="(?!https?:|mailto:)/i.test(html)) return "a link of another kind went into the HTML";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for
  if (/[\u0000-\u001f\u007f\u2028\u2029]/.test(subject)) return "the subject is more than a line";
  const whole = JSON.stringify(content);
  return whole.isWellFormed() && !/\\ud[89ab]/i.test(whole.replace(/\\\\/g, ""))
    ? null
    : "half a character is left";
}

const firstFault = (contents: unknown[]) => contents.map(faultOf).find((fault) => fault !== null) ?? null;

/** Every template, with any text that the ledger could hold. */
export const TEMPLATES: Record<string, (dice: Dice) => Promise<string | null>> = {
  "reminder message": async (dice) =>
    firstFault(
      (
        await renderForChannels({
          reminderId: dice.newId(),
          title: text(dice),
          note: dice.chance(0.3) ? null : text(dice),
          url: dice.chance(0.3) ? null : text(dice),
          dueAtMs: dice.pick([0, 1_800_000_000_000, 253_402_300_799_000]),
          timeZone: dice.pick(["UTC", "Europe/Berlin", "Asia/Kathmandu"]),
          locale: dice.chance(0.7) ? dice.pick(LOCALES) : text(dice),
          channels: CHANNELS,
        })
      ).map(({ content }) => content),
    ),
  "shipment message": async (dice) => {
    const optional = () => (dice.chance(0.3) ? null : text(dice, DETAIL_MAX_CHARACTERS));
    const { content } = await renderUpdate({
      eventId: dice.newId(),
      shipmentId: dice.newId(),
      channel: dice.pick(CHANNELS),
      version: 1,
      language: dice.pick(["en", "de", "fr", "ar"]),
      status: dice.pick(MILESTONES),
      order: optional(),
      carrier: optional(),
      trackingNumber: optional(),
      detail: optional(),
      location: optional(),
      pickUpCode: optional(),
      expectedOn: dice.chance(0.5) ? null : "2026-12-24",
      url: dice.chance(0.5) ? null : "https://carrier.example/1",
    });
    return faultOf(content);
  },
  "account notice": async (dice) => {
    const texts = {
      template: dice.pick(NOTICE_TEMPLATES),
      detail: text(dice, DETAIL_MAX_CHARACTERS),
      url: dice.chance(0.5) ? null : "https://shop.example/reset",
      locale: dice.pick(LOCALES),
    };
    return firstFault(
      [...(await renderAccountNotice(texts, CHANNELS)).values()].map(({ content }) => content),
    );
  },
  "code message": async (dice) => {
    // A code is ours: digits.
    const input = { code: String(dice.int(0, 999_999)), minutes: dice.int(0, 60), locale: text(dice) };
    return firstFault([(await renderSignInCode(input)).email, renderPhoneCode(input).sms]);
  },
};
