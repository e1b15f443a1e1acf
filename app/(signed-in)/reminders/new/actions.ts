"use server";

import { redirect } from "next/navigation";
import { after } from "next/server";
import { effects } from "../../../../db/effects";
import { scheduleReminder } from "../../../../db/reminders/schedule";
import { isId } from "../../../../db/rules/id";
import { languageOf } from "../../../../db/rules/languages";
import { readShopper } from "../../../../db/shoppers";
import { ringDoorbell } from "../../../../inngest/publish";
import { requireActing } from "../../../_auth/session";
import { answerAfter, type FormState, stateOfProblem, textOf } from "../../../_forms/form-state";
import { hashOf, readReminderForm, reminderFields, typedIn } from "../../../_reminders/read-form";

/**
 * Sets a reminder for whoever is signed in and goes to its page. The form's intention makes a double click, or going
 * back and sending again, one reminder; another content sent under it is taken for a new intention at the next try.
 */
export async function createReminder(before: FormState, form: FormData): Promise<FormState> {
  const { subscriberId } = await requireActing("/reminders/new");
  const shopper = await readShopper(subscriberId);
  if (shopper === null) redirect("/sign-in");
  const values = typedIn(form);
  const language = languageOf(shopper.locale);
  const fields = reminderFields(language.words.composer);
  const read = readReminderForm(form, shopper.nowMs, language);
  if (!read.ok) return stateOfProblem(read.problem, before, values, fields, language);
  const { dueAt, ...body } = read.value;
  if (dueAt === null) throw new Error("Bug! a new reminder without a time passed the form");

  const intention = textOf(form, "intention");
  const key = isId(intention) ? intention : effects.newId();
  const scheduled = await scheduleReminder(
    { owner: { kind: "subscriber", subscriberId }, subscriberId, ...body, dueAt },
    { scope: `web:${subscriberId}`, key, bodyHash: hashOf(read.value) },
  );
  if (!scheduled.ok) {
    if (scheduled.problem.code !== "idempotency_mismatch") {
      return stateOfProblem(scheduled.problem, before, values, fields, language);
    }
    const message = language.words.composer.alreadySet;
    return {
      values: { ...values, intention: effects.newId() },
      errors: {},
      message,
      answer: answerAfter(before),
    };
  }
  after(ringDoorbell);
  redirect(`/reminders/${scheduled.value.value.id}?done=set`);
}
