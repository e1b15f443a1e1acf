"use client";

import { UNSENT } from "../../_forms/form-state";
import { useKeptForm } from "../../_forms/use-kept-form";
import { Field, Input } from "../../_ui/field";
import { SubmitButton } from "../../_ui/submit-button";
import { savePause } from "./actions";

/** Pauses everything until a day; while it holds, says until when and takes it back. */
export function PauseForm({ until }: { until: string | null }) {
  const { state, pending, form } = useKeptForm(savePause, UNSENT);
  return (
    <form {...form} noValidate className="space-y-4">
      <div>
        <h2 className="text-lg font-semibold">Pause everything</h2>
        <p className="text-ink-soft">
          {until === null
            ? "Nothing but sign-in codes comes until the day you choose. What comes due waits, and is dropped with a note when it is of no use any more."
            : `Everything is paused until ${until}.`}
        </p>
      </div>
      {until === null ? (
        <div className="flex flex-wrap items-end gap-3">
          <Field id="pausedUntil" label="Until the morning of" error={state.errors.pausedUntil}>
            {(attributes) => (
              <Input {...attributes} name="pausedUntil" type="date" defaultValue={state.values.pausedUntil} />
            )}
          </Field>
          <SubmitButton busy={pending} kind="secondary" className="min-h-12!">
            Pause everything
          </SubmitButton>
        </div>
      ) : (
        <SubmitButton busy={pending} name="what" value="resume">
          Resume everything now
        </SubmitButton>
      )}
      <p role="status" className="sr-only">
        {state.answer > 0 && state.errors.pausedUntil === undefined
          ? until === null
            ? "Resumed."
            : "Paused."
          : ""}
      </p>
    </form>
  );
}
