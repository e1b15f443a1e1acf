"use client";

import { useActionState } from "react";
import { UNSENT } from "../../_forms/form-state";
import { useKeptForm } from "../../_forms/use-kept-form";
import { useWords } from "../../_language/give-words";
import { BrowserZoneFields } from "../../_time/browser-zone";
import { Field, Input } from "../../_ui/field";
import { SubmitButton } from "../../_ui/submit-button";
import { confirmCode, resendCode } from "../actions";

export function CodeForm() {
  const { signIn } = useWords("signIn").words;
  const { state, pending, form } = useKeptForm(confirmCode, UNSENT);
  return (
    <>
      <form {...form} noValidate className="space-y-5">
        <Field id="code" label={signIn.code} error={state.errors.code}>
          {(attributes) => (
            <Input
              {...attributes}
              name="code"
              dir="ltr"
              type="text"
              inputMode="numeric"
              autoComplete="one-time-code"
              maxLength={20}
              required
              defaultValue={state.values.code}
              className="text-center text-2xl tracking-[0.3em] tabular-nums"
            />
          )}
        </Field>
        <SubmitButton busy={pending} className="w-full">
          {signIn.confirm}
        </SubmitButton>
      </form>
      <ResendForm />
    </>
  );
}

function ResendForm() {
  const { signIn } = useWords("signIn").words;
  const [state, action] = useActionState(resendCode, UNSENT);
  return (
    <form action={action} className="space-y-2 text-center">
      <BrowserZoneFields />
      <SubmitButton kind="plain" className="w-full">
        {signIn.again}
      </SubmitButton>
      <p role="status" className="text-sm text-ink-soft">
        {state.message}
      </p>
    </form>
  );
}
