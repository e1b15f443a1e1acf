"use client";

import { UNSENT } from "../_forms/form-state";
import { useKeptForm } from "../_forms/use-kept-form";
import { useWords } from "../_language/give-words";
import { BrowserZoneFields } from "../_time/browser-zone";
import { Field, Input } from "../_ui/field";
import { Notice } from "../_ui/notice";
import { SubmitButton } from "../_ui/submit-button";
import { sendCode } from "./actions";

export function SignInForm({ next }: { next: string }) {
  const { signIn } = useWords("signIn").words;
  const { state, pending, form } = useKeptForm(sendCode, UNSENT);
  return (
    <form {...form} noValidate className="space-y-5">
      {state.message !== null && <Notice kind="bad">{state.message}</Notice>}
      <input type="hidden" name="next" value={next} />
      <BrowserZoneFields />
      <Field id="email" label={signIn.email} error={state.errors.email}>
        {(attributes) => (
          <Input
            {...attributes}
            name="email"
            type="email"
            dir="ltr"
            inputMode="email"
            autoComplete="email"
            autoCapitalize="none"
            spellCheck={false}
            required
            defaultValue={state.values.email}
          />
        )}
      </Field>
      <SubmitButton busy={pending} className="w-full">
        {signIn.send}
      </SubmitButton>
    </form>
  );
}
