"use client";

import { fill } from "../../../db/rules/speech";
import { UNSENT } from "../../_forms/form-state";
import { useKeptForm } from "../../_forms/use-kept-form";
import { useWords } from "../../_language/give-words";
import { Field, Input } from "../../_ui/field";
import { SubmitButton } from "../../_ui/submit-button";
import { savePause } from "./actions";

/** Pauses everything until a day; while it holds, says until when and takes it back. */
export function PauseForm({ until }: { until: string | null }) {
  const { settings } = useWords("settings").words;
  const { state, pending, form } = useKeptForm(savePause, UNSENT);
  return (
    <form {...form} noValidate className="space-y-4">
      <div>
        <h2 className="text-lg font-semibold">{settings.pause}</h2>
        <p className="text-ink-soft">
          {until === null ? settings.pauseText : fill(settings.pausedUntil, { when: until })}
        </p>
      </div>
      {until === null ? (
        <div className="flex flex-wrap items-end gap-3">
          <Field id="pausedUntil" label={settings.pauseDay} error={state.errors.pausedUntil}>
            {(attributes) => (
              <Input {...attributes} name="pausedUntil" type="date" defaultValue={state.values.pausedUntil} />
            )}
          </Field>
          <SubmitButton busy={pending} kind="secondary" className="min-h-12!">
            {settings.pause}
          </SubmitButton>
        </div>
      ) : (
        <SubmitButton busy={pending} name="what" value="resume">
          {settings.resume}
        </SubmitButton>
      )}
      <p role="status" className="sr-only">
        {state.answer > 0 && state.errors.pausedUntil === undefined
          ? until === null
            ? settings.resumed
            : settings.paused
          : ""}
      </p>
    </form>
  );
}
