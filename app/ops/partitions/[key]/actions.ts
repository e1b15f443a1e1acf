"use server";

import { redirect } from "next/navigation";
import { after } from "next/server";
import {
  type ControlOutcome,
  type Operator,
  pausePartition,
  resumePartition,
  setLaneWeight,
  setLimits,
} from "../../../../db/admission/controls";
import { ENGLISH } from "../../../../db/rules/languages";
import { switchDegradation, writeDegradation } from "../../../../db/shipments/degradation";
import { degrade } from "../../../../inngest/degrade";
import { ringPumps } from "../../../../inngest/dispatch";
import { requireOperator } from "../../../_auth/operator";
import { type FormState, stateOfProblem, textOf, textsOf } from "../../../_forms/form-state";
import { readDuration } from "../../../_ops/durations";
import { readPolicyTerm, readPolicyWindow } from "../../../_ops/policy-terms";
import { address, partitionPath } from "../../../_ops/words";

/** Pauses a partition for as long as was chosen. */
export async function pause(key: string, before: FormState, form: FormData): Promise<FormState> {
  const operator = await requireOperator(partitionPath(key, "pause"));
  if (!operator.ok) return stateOfProblem(operator.problem, before, valuesOf(form), FIELDS, ENGLISH);
  const { ms } = readDuration(textOf(form, "for"));
  return finish(key, "paused", await pausePartition(key, ms, as(operator.value, form)), before, form);
}

/** Ends a pause, a parking and an open circuit. */
export async function resume(key: string, before: FormState, form: FormData): Promise<FormState> {
  const operator = await requireOperator(partitionPath(key, "resume"));
  if (!operator.ok) return stateOfProblem(operator.problem, before, valuesOf(form), FIELDS, ENGLISH);
  return finish(key, "resumed", await resumePartition(key, as(operator.value, form)), before, form);
}

/** Sets ceiling, burst and concurrency, for a while or until changed. */
export async function limit(key: string, before: FormState, form: FormData): Promise<FormState> {
  const operator = await requireOperator(partitionPath(key, "limits"));
  if (!operator.ok) return stateOfProblem(operator.problem, before, valuesOf(form), FIELDS, ENGLISH);
  const limits = {
    ceiling: numberOf(form, "ceiling"),
    burst: numberOf(form, "burst"),
    concurrency: numberOf(form, "concurrency"),
  };
  const { ms } = readDuration(textOf(form, "for"), "open");
  return finish(key, "limited", await setLimits(key, limits, as(operator.value, form), ms), before, form);
}

/** Sets one lane's weight. */
export async function weigh(key: string, before: FormState, form: FormData): Promise<FormState> {
  const operator = await requireOperator(partitionPath(key, "weight"));
  if (!operator.ok) return stateOfProblem(operator.problem, before, valuesOf(form), FIELDS, ENGLISH);
  const weight = numberOf(form, "weight");
  const outcome = await setLaneWeight(key, textOf(form, "lane"), weight, as(operator.value, form));
  return finish(key, "weighed", outcome, before, form);
}

/** Writes down what a lane gives up under load, lets it act for a while, or ends that. */
export async function relieve(key: string, before: FormState, form: FormData): Promise<FormState> {
  const operator = await requireOperator(partitionPath(key, "degrade"));
  if (!operator.ok) return stateOfProblem(operator.problem, before, valuesOf(form), FIELDS, ENGLISH);
  const by = as(operator.value, form);
  const lane = textOf(form, "lane");
  const term = readPolicyTerm(textOf(form, "term"));
  if (term.kind === "off")
    return finish(key, "relief-off", await switchDegradation(key, lane, null, by), before, form);
  const { ms: windowMs } = readPolicyWindow(textOf(form, "window"));
  const written = await writeDegradation(key, { lane, policy: textOf(form, "policy"), windowMs }, by);
  if (term.kind !== "for" || !written.ok) return finish(key, "relief-written", written, before, form);
  const switched = await switchDegradation(key, lane, term.ms, by);
  if (switched.ok) after(() => degrade(key));
  return finish(key, "relief-on", switched, before, form);
}

const FIELDS = { reason: { name: "reason", label: "The reason" } };

const valuesOf = (form: FormData) => textsOf(form, ["reason"]);

function as(operator: { name: string }, form: FormData): Operator {
  return { name: operator.name, reason: textOf(form, "reason").trim().slice(0, 1000) };
}

/** A text that is no number is refused by the verb, which says what it takes. */
function numberOf(form: FormData, name: string): number {
  const text = textOf(form, name).trim();
  return text === "" ? Number.NaN : Number(text);
}

/** The change is in force when its transaction has committed; the ring only makes it seen at once. */
function finish(
  key: string,
  done: string,
  outcome: ControlOutcome,
  before: FormState,
  form: FormData,
): FormState {
  if (!outcome.ok) return stateOfProblem(outcome.problem, before, valuesOf(form), FIELDS, ENGLISH);
  after(() => ringPumps(outcome.value.rings));
  redirect(address(partitionPath(key), { done }));
}
