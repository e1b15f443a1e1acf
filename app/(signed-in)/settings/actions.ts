"use server";

import { refresh } from "next/cache";
import { redirect } from "next/navigation";
import { after } from "next/server";
import { fail, type Result } from "../../../db/rules/errors";
import { languageOf } from "../../../db/rules/languages";
import { MESSAGE_LOCALES, messageLocale } from "../../../db/rules/message-locale";
import { checkClockTime, type QuietHours } from "../../../db/rules/quiet-hours";
import type { Words } from "../../../db/rules/speech";
import { pauseEverything } from "../../../db/shopper-choices";
import { readShopper, updateShopper } from "../../../db/shoppers";
import { dispatchAll } from "../../../inngest/dispatch";
import { requireActing } from "../../_auth/session";
import {
  answerAfter,
  type FormState,
  inOwnWords,
  stateOfProblem,
  textOf,
  textsOf,
} from "../../_forms/form-state";
import { pageLanguage } from "../../_language/language";

const fieldsIn = ({ fields }: Words["settings"]) => ({
  timeZone: { name: "timeZone", label: fields.timeZone },
  quietFrom: { name: "quietFrom", label: fields.from },
  quietUntil: { name: "quietUntil", label: fields.until },
});

/** Saves the language and the zone in which a person reads, and their quiet hours. */
export async function saveSettings(before: FormState, form: FormData): Promise<FormState> {
  const { subscriberId } = await requireActing("/settings");
  const values = { ...textsOf(form, ["locale", "timeZone", "quietFrom", "quietUntil", "quiet"]) };
  const shopper = await readShopper(subscriberId);
  if (shopper === null) redirect("/sign-in");
  const locale = readChoice(textOf(form, "locale"), shopper.locale);
  const { settings } = languageOf(locale).words;
  const quietHours = readQuietHours(form, languageOf(shopper.locale).words.settings);
  const timeZone = textOf(form, "timeZone");
  const saved = quietHours.ok
    ? await updateShopper(subscriberId, { timeZone, quietHours: quietHours.value, locale })
    : quietHours;
  if (!saved.ok) {
    const language = languageOf(shopper.locale);
    return stateOfProblem(saved.problem, before, values, fieldsIn(language.words.settings), language);
  }
  const { partitions } = saved.value;
  if (partitions.length > 0) after(() => dispatchAll(partitions));
  refresh();
  return {
    values: { ...values, saved: "yes" },
    errors: {},
    message: settings.saved,
    answer: answerAfter(before),
  };
}

/** The language that was chosen; a variety of it that the person has already (`ar-EG`) stays. */
function readChoice(chosen: string, present: string): string {
  const known = MESSAGE_LOCALES.find((one) => one === chosen);
  return known === undefined || known === messageLocale(present) ? present : known;
}

function readQuietHours(form: FormData, words: Words["settings"]): Result<QuietHours | null> {
  if (textOf(form, "quiet") !== "on") return { ok: true, value: null };
  const start = checkClockTime("quietFrom", textOf(form, "quietFrom"));
  const end = checkClockTime("quietUntil", textOf(form, "quietUntil"));
  if (start.ok && end.ok) return { ok: true, value: { start: start.value, end: end.value } };
  const fields = [start, end].flatMap((result) =>
    !result.ok && result.problem.code === "invalid_input" ? result.problem.fields : [],
  );
  return fail({
    code: "invalid_input",
    fields: fields.map(({ field }) => inOwnWords(field, words.chooseClock)),
  });
}

/** Pauses everything until a day, or takes the pause back. */
export async function savePause(before: FormState, form: FormData): Promise<FormState> {
  const { subscriberId } = await requireActing("/settings");
  const resume = textOf(form, "what") === "resume";
  const date = textOf(form, "pausedUntil");
  const paused = await pauseEverything(subscriberId, resume ? null : date);
  const answer = answerAfter(before);
  if (!paused.ok) {
    const errors = { pausedUntil: (await pageLanguage()).words.settings.chooseDay };
    return { values: { pausedUntil: date }, errors, message: null, answer };
  }
  const { partitions } = paused.value;
  if (partitions.length > 0) after(() => dispatchAll(partitions));
  refresh();
  return { values: {}, errors: {}, message: null, answer };
}
