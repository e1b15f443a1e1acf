"use server";

import { refresh } from "next/cache";
import { notFound, redirect } from "next/navigation";
import { after } from "next/server";
import { cancelReminder } from "../../../../db/reminders/cancel";
import { finishReminder, noteOpened } from "../../../../db/reminders/done";
import { pauseReminder, restoreReminder, resumeReminder } from "../../../../db/reminders/pause";
import { readReminder } from "../../../../db/reminders/read";
import { snoozeReminder } from "../../../../db/reminders/snooze";
import type { Owner } from "../../../../db/reminders/views";
import type { SnoozeBody } from "../../../../db/rules/api-schemas";
import { fail, ok, type Result } from "../../../../db/rules/errors";
import type { Language } from "../../../../db/rules/languages";
import { readShopper } from "../../../../db/shoppers";
import { ringDoorbell } from "../../../../inngest/publish";
import { requireActing } from "../../../_auth/session";
import { type FormState, inOwnWords, stateOfProblem, textOf, textsOf } from "../../../_forms/form-state";
import { pageLanguage } from "../../../_language/language";
import { readWhen } from "../../../_reminders/due-input";
import { pathSegment } from "../../../_shell/path-segment";

/** Cancels a reminder of whoever is signed in; the page then says what that came to on each channel. */
export async function cancel(id: string): Promise<void> {
  const { subscriberId } = await requireActing(`/reminders/${pathSegment(id)}`);
  const cancelled = await cancelReminder({ kind: "subscriber", subscriberId }, id);
  if (!cancelled.ok) notFound();
  after(ringDoorbell);
  const outcomes = cancelled.value.channels.map(({ channel, outcome }) => `${channel}:${outcome}`);
  redirect(`/reminders/${id}?done=cancelled&outcome=${outcomes.join(",")}`);
}

/** Puts a reminder off by some minutes, counted from now and not from when the page was read, or until a wall time. */
export async function snooze(id: string, before: FormState, form: FormData): Promise<FormState> {
  const { subscriberId } = await requireActing(`/reminders/${pathSegment(id)}`);
  const owner = { kind: "subscriber" as const, subscriberId };
  const language = await pageLanguage();
  const until = await readSnooze(owner, id, form, language);
  const snoozed = until.ok ? await snoozeReminder(owner, id, until.value) : until;
  if (!snoozed.ok) {
    if (snoozed.problem.code === "not_found") notFound();
    const fields = { dueAt: { name: "when", label: language.words.composer.fields.when } };
    return stateOfProblem(snoozed.problem, before, textsOf(form, ["date", "time"]), fields, language);
  }
  after(ringDoorbell);
  redirect(`/reminders/${id}?done=snoozed`);
}

const CHANGES = {
  done: finishReminder,
  pause: pauseReminder,
  resume: resumeReminder,
  restore: restoreReminder,
} as const;

/** Finishes, pauses, resumes a reminder or takes its cancel back; what cannot be is said on its page. */
export async function change(id: string, what: keyof typeof CHANGES): Promise<void> {
  const { subscriberId } = await requireActing(`/reminders/${pathSegment(id)}`);
  if (!Object.hasOwn(CHANGES, what)) notFound();
  const changed = await CHANGES[what]({ kind: "subscriber", subscriberId }, id);
  if (!changed.ok && changed.problem.code === "not_found") notFound();
  after(ringDoorbell);
  redirect(`/reminders/${id}?done=${changed.ok ? what : `no-${what}`}`);
}

/** Its owner looks at a reminder: channels that wait for one another need not go on. */
export async function opened(id: string): Promise<void> {
  const { subscriberId } = await requireActing(`/reminders/${pathSegment(id)}`);
  await noteOpened({ kind: "subscriber", subscriberId }, id);
  refresh();
}

async function readSnooze(
  owner: Owner & { kind: "subscriber" },
  id: string,
  form: FormData,
  language: Language,
): Promise<Result<SnoozeBody>> {
  const choice = textOf(form, "until");
  if (/^\d{1,4}$/.test(choice)) return ok({ minutes: Math.max(1, Number(choice)) });
  const [reminder, shopper] = await Promise.all([readReminder(owner, id), readShopper(owner.subscriberId)]);
  if (!reminder.ok) return reminder;
  const { timeZone } = reminder.value;
  const input = { choice, date: textOf(form, "date"), time: textOf(form, "time"), timeZone };
  const when = readWhen(input, shopper?.nowMs ?? 0, language);
  if (when.ok) return ok({ dueAt: { local: when.local, timeZone } });
  return fail({ code: "invalid_input", fields: [inOwnWords("dueAt", when.error)] });
}
