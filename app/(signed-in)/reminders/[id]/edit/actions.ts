"use server";

import { notFound, redirect } from "next/navigation";
import { after } from "next/server";
import { editReminder } from "../../../../../db/reminders/edit";
import { readReminder } from "../../../../../db/reminders/read";
import { readShopper } from "../../../../../db/shoppers";
import { renderForChannels } from "../../../../../inngest/messages/reminder-payloads";
import { ringDoorbell } from "../../../../../inngest/publish";
import { requireActing } from "../../../../_auth/session";
import { type FormState, stateOfProblem } from "../../../../_forms/form-state";
import { fieldsOf } from "../../../../_reminders/form-fields";
import { REMINDER_FIELDS, readReminderForm, typedIn } from "../../../../_reminders/read-form";

/** Changes a reminder of whoever is signed in. A time that was not touched is not sent again as a new one. */
export async function saveReminder(id: string, before: FormState, form: FormData): Promise<FormState> {
  const { subscriberId } = await requireActing(`/reminders/${encodeURIComponent(id)}/edit`);
  const owner = { kind: "subscriber" as const, subscriberId };
  const [reminder, shopper] = await Promise.all([readReminder(owner, id), readShopper(subscriberId)]);
  if (!reminder.ok || shopper === null) notFound();
  const values = typedIn(form);
  const read = readReminderForm(form, shopper.nowMs, fieldsOf(reminder.value));
  if (!read.ok) return stateOfProblem(read.problem, before, values, REMINDER_FIELDS);
  const { title, note, url, channels, dueAt, repeat, floating, throughQuietHours, nextChannelAfterMinutes } =
    read.value;
  const patch = {
    ...{ title, note, url, channels, repeat, floating, throughQuietHours, nextChannelAfterMinutes },
    ...(dueAt === null ? {} : { dueAt }),
  };
  const saved = await editReminder(owner, id, patch, renderForChannels);
  if (!saved.ok) return stateOfProblem(saved.problem, before, values, REMINDER_FIELDS);
  after(ringDoorbell);
  redirect(`/reminders/${id}?done=saved`);
}
