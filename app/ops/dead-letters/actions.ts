"use server";

import { redirect } from "next/navigation";
import { after } from "next/server";
import {
  type DeadLetterName,
  dismissDeadLetters,
  type Finding,
  type LettersMoved,
  resolveUnknown,
  restoreDeadLetters,
} from "../../../db/redrive/dead-letters";
import { invalid, type Problem } from "../../../db/rules/errors";
import { ENGLISH } from "../../../db/rules/languages";
import { ringDoorbell } from "../../../inngest/publish";
import { requireOperator } from "../../_auth/operator";
import { type FormState, stateOfProblem, textOf, textsOf } from "../../_forms/form-state";
import { readLetters } from "../../_ops/dead-filter";
import { address } from "../../_ops/words";

/** Dismisses the dead letters that were shown: they stay dead, and lists and redrives pass them over. */
export async function dismiss(before: FormState, form: FormData): Promise<FormState> {
  const operator = await requireOperator("/ops/dead-letters");
  if (!operator.ok) return refused(operator, before, form);
  return finish(await dismissDeadLetters(lettersOf(form), as(operator.value.name, form)), before, form);
}

/** Takes dismissals back. */
export async function restore(before: FormState, form: FormData): Promise<FormState> {
  const operator = await requireOperator("/ops/dead-letters");
  if (!operator.ok) return refused(operator, before, form);
  return finish(await restoreDeadLetters(lettersOf(form), as(operator.value.name, form)), before, form);
}

/** Ends an unknown outcome by what the operator found out. */
export async function resolve(before: FormState, form: FormData): Promise<FormState> {
  const operator = await requireOperator("/ops/dead-letters");
  if (!operator.ok) return refused(operator, before, form);
  const finding = FINDINGS[textOf(form, "finding")];
  const [letter] = lettersOf(form);
  if (finding === undefined || letter === undefined) {
    return refused(
      invalid("finding", textOf(form, "finding"), "one of the three", "Choose one."),
      before,
      form,
    );
  }
  const resolved = await resolveUnknown(letter, finding, as(operator.value.name, form));
  if (!resolved.ok) return refused(resolved, before, form);
  after(ringDoorbell);
  const { redriveId, state } = resolved.value;
  if (redriveId !== null) redirect(address(`/ops/redrives/${redriveId}`, { done: "started" }));
  redirect(address(backOf(form), { done: state === "delivered" ? "arrived" : "not-arrived" }));
}

const FINDINGS: Record<string, Finding> = {
  arrived: { answer: "arrived" },
  "send-again": { answer: "not_arrived", next: "send_again" },
  "stay-dead": { answer: "not_arrived", next: "stay_dead" },
};

const FIELDS = {
  reason: { name: "reason", label: "The reason" },
  finding: { name: "finding", label: "What you found out" },
};

function lettersOf(form: FormData): DeadLetterName[] {
  return readLetters(textOf(form, "letters"));
}

function as(name: string, form: FormData) {
  return { name, reason: textOf(form, "reason").trim().slice(0, 1000) };
}

/** Only a page of the console: the form names it. */
function backOf(form: FormData): string {
  const back = textOf(form, "back");
  return /^\/ops\/deliveries\/[\w-]{32}$/.test(back) ? back : "/ops/dead-letters";
}

function refused(failure: { problem: Problem }, before: FormState, form: FormData): FormState {
  return stateOfProblem(failure.problem, before, textsOf(form, ["reason", "finding"]), FIELDS, ENGLISH);
}

function finish(outcome: LettersMoved, before: FormState, form: FormData): FormState {
  if (!outcome.ok) return refused(outcome, before, form);
  const { moved, unchanged } = outcome.value;
  redirect(address(backOf(form), { done: "moved", moved: String(moved), unchanged: String(unchanged) }));
}
