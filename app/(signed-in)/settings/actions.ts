"use server";

import { refresh } from "next/cache";
import { after } from "next/server";
import { fail, type Result } from "../../../db/rules/errors";
import { checkClockTime, type QuietHours } from "../../../db/rules/quiet-hours";
import { pauseEverything } from "../../../db/shopper-choices";
import { updateShopper } from "../../../db/shoppers";
import { dispatchAll } from "../../../inngest/dispatch";
import { requireActing } from "../../_auth/session";
import { type FormState, stateOfProblem, textOf, textsOf } from "../../_forms/form-state";

const FIELDS = {
  timeZone: { name: "timeZone", label: "The time zone" },
  quietFrom: { name: "quietFrom", label: "The beginning" },
  quietUntil: { name: "quietUntil", label: "The end" },
};

/** Saves the zone in which a person reads times, and their quiet hours. */
export async function saveSettings(before: FormState, form: FormData): Promise<FormState> {
  const { subscriberId } = await requireActing("/settings");
  const values = { ...textsOf(form, ["timeZone", "quietFrom", "quietUntil", "quiet"]) };
  const quietHours = readQuietHours(form);
  const timeZone = textOf(form, "timeZone");
  const saved = quietHours.ok
    ? await updateShopper(subscriberId, { timeZone, quietHours: quietHours.value })
    : quietHours;
  if (!saved.ok) return stateOfProblem(saved.problem, before, values, FIELDS);
  refresh();
  return { values: { ...values, saved: "yes" }, errors: {}, message: "Saved.", answer: before.answer + 1 };
}

function readQuietHours(form: FormData): Result<QuietHours | null> {
  if (textOf(form, "quiet") !== "on") return { ok: true, value: null };
  const start = checkClockTime("quietFrom", textOf(form, "quietFrom"));
  const end = checkClockTime("quietUntil", textOf(form, "quietUntil"));
  if (start.ok && end.ok) return { ok: true, value: { start: start.value, end: end.value } };
  const fields = [start, end].flatMap((result) =>
    !result.ok && result.problem.code === "invalid_input" ? result.problem.fields : [],
  );
  return fail({
    code: "invalid_input",
    fields: fields.map((field) => ({ ...field, message: "Choose a time of day." })),
  });
}

/** Pauses everything until a day, or takes the pause back. */
export async function savePause(before: FormState, form: FormData): Promise<FormState> {
  const { subscriberId } = await requireActing("/settings");
  const resume = textOf(form, "what") === "resume";
  const date = textOf(form, "pausedUntil");
  const paused = await pauseEverything(subscriberId, resume ? null : date);
  const answer = before.answer + 1;
  if (!paused.ok) {
    const errors = { pausedUntil: "Choose a day after today." };
    return { values: { pausedUntil: date }, errors, message: null, answer };
  }
  const { partitions } = paused.value;
  if (partitions.length > 0) after(() => dispatchAll(partitions));
  refresh();
  return { values: {}, errors: {}, message: null, answer };
}
