"use client";

import Link from "next/link";
import { type FormState, UNSENT } from "../../../_forms/form-state";
import { useKeptForm } from "../../../_forms/use-kept-form";
import { buttonClass } from "../../../_ui/button";
import { Field, Input } from "../../../_ui/field";
import { Notice } from "../../../_ui/notice";
import { SubmitButton } from "../../../_ui/submit-button";

interface PreviewFormProps {
  action: (state: FormState, form: FormData) => Promise<FormState>;
  chosen: Record<string, string>;
  button: string;
  back: string;
}

/** How the chosen dead letters should go: asked before anything is worked out. */
export function PreviewForm({ action, chosen, button, back }: PreviewFormProps) {
  const { state, pending, form } = useKeptForm(action, UNSENT);
  return (
    <form {...form} noValidate className="space-y-5">
      {state.message !== null && <Notice kind="bad">{state.message}</Notice>}
      {Object.entries(chosen).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <Field
        id="rate"
        label="At most, per second and partition"
        optional="(optional)"
        hint="Whatever you ask, it never takes more than a fifth of the partition’s rate, nor more than live work leaves."
        error={state.errors.rate}
      >
        {(attributes) => (
          <Input
            {...attributes}
            name="rate"
            inputMode="decimal"
            autoComplete="off"
            className="max-w-40"
            defaultValue={state.values.rate}
          />
        )}
      </Field>
      <label className="flex items-start gap-3">
        <input
          type="checkbox"
          name="ambiguous"
          value="yes"
          defaultChecked={state.values.ambiguous === "yes"}
          className="mt-1 size-5 shrink-0 accent-accent"
        />
        <span>
          <span className="font-medium">Include unknown outcomes</span>
          <span className="block text-sm text-ink-soft">
            They may have arrived: a repeat may reach somebody twice. Left out unless you say so here.
          </span>
        </span>
      </label>
      <div className="flex flex-wrap gap-3">
        <SubmitButton busy={pending}>{button}</SubmitButton>
        <Link href={back} className={buttonClass("secondary")}>
          Back
        </Link>
      </div>
    </form>
  );
}
