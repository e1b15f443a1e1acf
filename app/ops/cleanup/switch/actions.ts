"use server";

import { redirect } from "next/navigation";
import { switchCleanup } from "../../../../db/cleanup/retention";
import { ENGLISH } from "../../../../db/rules/languages";
import { requireOperator } from "../../../_auth/operator";
import { type FormState, stateOfProblem, textOf, textsOf } from "../../../_forms/form-state";

/** Switches cleanup on or off. Off is obeyed between two batches. */
export async function flip(before: FormState, form: FormData): Promise<FormState> {
  const operator = await requireOperator("/ops/cleanup/switch");
  if (!operator.ok) return stateOfProblem(operator.problem, before, textsOf(form, ["reason"]), {}, ENGLISH);
  const reason = textOf(form, "reason").trim().slice(0, 1000);
  const switched = await switchCleanup(textOf(form, "to") === "on", { name: operator.value.name, reason });
  if (!switched.ok) {
    const fields = { reason: { name: "reason", label: "The reason" } };
    return stateOfProblem(switched.problem, before, textsOf(form, ["reason"]), fields, ENGLISH);
  }
  redirect("/ops/cleanup?done=switched");
}
