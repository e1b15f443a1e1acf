"use client";

import { USUAL_SMS_HOURS } from "../../../../db/rules/sms-hours";
import { fill } from "../../../../db/rules/speech";
import { UNSENT } from "../../../_forms/form-state";
import { useKeptForm } from "../../../_forms/use-kept-form";
import { useWords } from "../../../_language/give-words";
import { Field, Input } from "../../../_ui/field";
import { Notice } from "../../../_ui/notice";
import { SubmitButton } from "../../../_ui/submit-button";
import { addPhone, confirmPhone } from "./actions";

/** Asks for a number, and for the consent that goes with it. */
export function AddPhoneForm({ another }: { another: boolean }) {
  const { phone: words } = useWords("phone").words;
  const { state, pending, form } = useKeptForm(addPhone, UNSENT);
  return (
    <form {...form} noValidate className="space-y-4">
      {state.message !== null && <Notice kind="bad">{state.message}</Notice>}
      <Field
        id="phone"
        label={another ? words.another : words.number}
        hint={fill(words.hint, { example: "+49 1512 3456789" })}
        error={state.errors.phone}
      >
        {(attributes) => (
          <Input
            {...attributes}
            name="phone"
            type="tel"
            dir="ltr"
            inputMode="tel"
            autoComplete="tel"
            defaultValue={state.values.phone}
          />
        )}
      </Field>
      <p className="text-sm text-ink-soft">{words.consent}</p>
      {!another && (
        <label className="flex items-start gap-3">
          <input type="hidden" name="hoursAsked" value="yes" />
          <input
            type="checkbox"
            name="daytime"
            defaultChecked
            className="mt-1 size-5 shrink-0 accent-accent"
          />
          <span>
            {fill(words.daytime, USUAL_SMS_HOURS)}
            <span className="block text-sm text-ink-soft">{words.daytimeHint}</span>
          </span>
        </label>
      )}
      <SubmitButton busy={pending} kind="secondary">
        {words.send}
      </SubmitButton>
    </form>
  );
}

/** Asks for the code that was texted. */
export function ConfirmPhoneForm({ destinationId, phone }: { destinationId: string; phone: string }) {
  const { phone: words } = useWords("phone").words;
  const confirm = useKeptForm(confirmPhone.bind(null, destinationId), UNSENT);
  const again = useKeptForm(addPhone, UNSENT);
  const { state } = confirm;
  return (
    <div className="space-y-3">
      <form {...confirm.form} noValidate className="space-y-4">
        {state.message !== null && <Notice kind="bad">{state.message}</Notice>}
        <Field id="phone-code" label={words.code} hint={words.codeHint} error={state.errors.code}>
          {(attributes) => (
            <Input
              {...attributes}
              name="code"
              dir="ltr"
              inputMode="numeric"
              autoComplete="one-time-code"
              maxLength={20}
              defaultValue={state.values.code}
              className="max-w-48 text-center text-xl tracking-[0.25em] tabular-nums"
            />
          )}
        </Field>
        <SubmitButton busy={confirm.pending}>{words.confirm}</SubmitButton>
      </form>
      <form {...again.form}>
        <input type="hidden" name="phone" value={phone} />
        <SubmitButton busy={again.pending} kind="plain" className="-ms-4">
          {words.again}
        </SubmitButton>
        <p role="status" className="text-sm text-ink-soft">
          {again.state.message ??
            again.state.errors.phone ??
            (again.state.answer > 0 ? words.sentAgain : null)}
        </p>
      </form>
    </div>
  );
}
