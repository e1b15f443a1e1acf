"use server";

import { notFound, redirect } from "next/navigation";
import { after } from "next/server";
import { editReminder } from "../../../../../db/reminders/edit";
import { readReminder } from "../../../../../db/reminders/read";
import { languageOf } from "../../../../../db/rules/languages";
import { readShopper } from "../../../../../db/shoppers";
import { renderForChannels } from "../../../../../inngest/messages/reminder-payloads";
import { ringDoorbell } from "../../../../../inngest/publish";
import { requireActing } from "../../../../_auth/session";
import { type FormState, stateOfProblem } from "../../../../_forms/form-state";
import { fieldsOf } from "../../../../_reminders/form-fields";
import { readReminderForm, reminderFields, typedIn } from "../../../../_reminders/read-form";
import { pathSegment } from "../../../../_shell/path-segment";

/** Changes a reminder of whoever is signed in. A time that was not touched is not sent again as a new one. */
export async function saveReminder(id: string, before: FormState, form: FormData): Promise<FormState> {
  const { subscriberId } = await requireActing(`/reminders/${pathSegment(id)}/edit`);
  const owner = { kind: "subscriber" as const, subscriberId };
  const [reminder, shopper] = await Promise.all([readReminder(owner, id), readShopper(subscriberId)]);
  if (!reminder.ok || shopper === null) notFound();
  const values = typedIn(form);
  const language = languageOf(shopper.locale);
  const fields = reminderFields(language.words.composer);
  const read = readReminderForm(form, shopper.nowMs, language, fieldsOf(reminder.value));
  if (!read.ok) return stateOfProblem(read.problem, before, values, fields, language);
  const { title, note, url, channels, dueAt, repeat, floating, throughQuietHours, nextChannelAfterMinutes } =
    read.value;
  const patch = {
    ...{ title, note, url, channels, repeat, floating, throughQuietHours, nextChannelAfterMinutes },
    ...(dueAt === null ? {} : { dueAt }),
  };
  const saved = await editReminder(owner, id, patch, renderForChannels);
  if (!saved.ok) return stateOfProblem(saved.problem, before, values, fields, language);
  after(ringDoorbell);
  redirect(`/reminders/${id}?done=saved`);
}
