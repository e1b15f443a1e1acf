"use server";

import { redirect } from "next/navigation";
import { after } from "next/server";
import { pauseRedrive, type RedriveControl, resumeRedrive, stopRedrive } from "../../../db/redrive/controls";
import { previewRedrive } from "../../../db/redrive/preview";
import { startRedrive } from "../../../db/redrive/start";
import { fail, invalid, type Problem } from "../../../db/rules/errors";
import { isId } from "../../../db/rules/id";
import { ENGLISH } from "../../../db/rules/languages";
import { ringDoorbell } from "../../../inngest/publish";
import { requireOperator } from "../../_auth/operator";
import { type FormState, stateOfProblem, textOf, textsOf } from "../../_forms/form-state";
import { readDeadFilter } from "../../_ops/dead-filter";
import { address } from "../../_ops/words";
import { pathSegment } from "../../_shell/path-segment";

/** Freezes the set and works out what would become of each. Nothing is sent. */
export async function preview(before: FormState, form: FormData): Promise<FormState> {
  const operator = await requireOperator("/ops/dead-letters");
  if (!operator.ok) return refused(operator, before, form);
  const filter = readDeadFilter(textsOf(form, ["channel", "partition", "reason", "from", "until"]));
  const reference = textOf(form, "delivery");
  if (reference !== "" && !isId(reference))
    return refused(fail({ code: "not_found", what: "dead letter" }), before, form);
  const rate = readRate(form);
  if (!rate.ok) return refused(rate, before, form);
  const previewed = await previewRedrive(
    {
      filter: reference === "" ? filter : { deliveryIds: [reference] },
      includeAmbiguous: textOf(form, "ambiguous") === "yes",
      ...(rate.value === undefined ? {} : { ratePerSecond: rate.value }),
    },
    operator.value.name,
  );
  if (!previewed.ok) return refused(previewed, before, form);
  redirect(`/ops/redrives/${previewed.value.id}`);
}

/** Starts what was previewed, once the exact count is repeated. Two clicks and two operators make one. */
export async function start(id: string, before: FormState, form: FormData): Promise<FormState> {
  const operator = await requireOperator(pathOf(id));
  if (!operator.ok) return refused(operator, before, form);
  const typed = textOf(form, "typed").replace(/[\s,.']/g, "");
  const confirm = /^\d+$/.test(typed) ? Number(typed) : Number.NaN;
  const reason = textOf(form, "reason").trim();
  const started = await startRedrive({ id, confirm, operator: { name: operator.value.name, reason } });
  if (!started.ok) return refused(started, before, form);
  after(ringDoorbell);
  redirect(address(pathOf(started.value.redriveId), { done: started.value.joined ? "joined" : "started" }));
}

/** Pauses a running redrive. What is on its way arrives. */
export async function pause(id: string, before: FormState, form: FormData): Promise<FormState> {
  const operator = await requireOperator(pathOf(id));
  if (!operator.ok) return refused(operator, before, form);
  return finish(await pauseRedrive(id, as(operator.value.name, form)), before, form);
}

/** Goes on with a paused redrive, at another rate where one is given. */
export async function resume(id: string, before: FormState, form: FormData): Promise<FormState> {
  const operator = await requireOperator(pathOf(id));
  if (!operator.ok) return refused(operator, before, form);
  const rate = readRate(form);
  if (!rate.ok) return refused(rate, before, form);
  const options = rate.value === undefined ? {} : { ratePerSecond: rate.value };
  return finish(await resumeRedrive(id, as(operator.value.name, form), options), before, form);
}

/** Ends a redrive for good. */
export async function stop(id: string, before: FormState, form: FormData): Promise<FormState> {
  const operator = await requireOperator(pathOf(id));
  if (!operator.ok) return refused(operator, before, form);
  return finish(await stopRedrive(id, as(operator.value.name, form)), before, form);
}

const pathOf = (id: string) => `/ops/redrives/${pathSegment(id)}`;

const FIELDS = {
  reason: { name: "reason", label: "The reason" },
  confirm: { name: "typed", label: "What you type" },
  ratePerSecond: { name: "rate", label: "The rate" },
};

function refused(failure: { problem: Problem }, before: FormState, form: FormData): FormState {
  return stateOfProblem(
    failure.problem,
    before,
    textsOf(form, ["reason", "typed", "rate", "ambiguous"]),
    FIELDS,
    ENGLISH,
  );
}

function as(name: string, form: FormData) {
  return { name, reason: textOf(form, "reason").trim().slice(0, 1000) };
}

/** An empty field leaves the rate to what the partition can spare. */
function readRate(form: FormData) {
  const text = textOf(form, "rate").trim();
  if (text === "") return { ok: true as const, value: undefined };
  const value = Number(text);
  return value > 0 && value <= 10_000
    ? { ok: true as const, value }
    : invalid(
        "ratePerSecond",
        text,
        "a number above 0, at most 10000",
        "Enter a number above 0, or nothing.",
      );
}

function finish(outcome: RedriveControl, before: FormState, form: FormData): FormState {
  if (!outcome.ok) return refused(outcome, before, form);
  after(ringDoorbell);
  redirect(address(pathOf(outcome.value.redriveId), { done: outcome.value.state }));
}
