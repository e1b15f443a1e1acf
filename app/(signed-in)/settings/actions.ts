"use server";

import { refresh } from "next/cache";
import { fail, type Result } from "../../../db/rules/errors";
import { checkClockTime, type QuietHours } from "../../../db/rules/quiet-hours";
import { updateShopper } from "../../../db/shoppers";
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
