"use client";

import { UNSENT } from "../../../_forms/form-state";
import { useKeptForm } from "../../../_forms/use-kept-form";
import { Field, Input } from "../../../_ui/field";
import { Notice } from "../../../_ui/notice";
import { SubmitButton } from "../../../_ui/submit-button";
import { addPhone, confirmPhone } from "./actions";

/** Asks for a number, and for the consent that goes with it. */
export function AddPhoneForm({ another }: { another: boolean }) {
  const { state, pending, form } = useKeptForm(addPhone, UNSENT);
  return (
    <form {...form} noValidate className="space-y-4">
      {state.message !== null && <Notice kind="bad">{state.message}</Notice>}
      <Field
        id="phone"
        label={another ? "Another number in its place" : "Phone number"}
        hint="With country code, such as +49 1512 3456789."
        error={state.errors.phone}
      >
        {(attributes) => (
          <Input
            {...attributes}
            name="phone"
            type="tel"
            inputMode="tel"
            autoComplete="tel"
            defaultValue={state.values.phone}
          />
        )}
      </Field>
      <p className="text-sm text-ink-soft">
        By adding it you agree to get text messages for the reminders you set. Reply STOP to any of them to
        end that. Your operator may charge for messages.
      </p>
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
            Text me only between 08:00 and 21:00
            <span className="block text-sm text-ink-soft">
              What is due at night waits for the morning. Codes still come at once.
            </span>
          </span>
        </label>
      )}
      <SubmitButton busy={pending} kind="secondary">
        Text me a code
      </SubmitButton>
    </form>
  );
}

/** Asks for the code that was texted. */
export function ConfirmPhoneForm({ destinationId, phone }: { destinationId: string; phone: string }) {
  const confirm = useKeptForm(confirmPhone.bind(null, destinationId), UNSENT);
  const again = useKeptForm(addPhone, UNSENT);
  const { state } = confirm;
  return (
    <div className="space-y-3">
      <form {...confirm.form} noValidate className="space-y-4">
        {state.message !== null && <Notice kind="bad">{state.message}</Notice>}
        <Field
          id="phone-code"
          label="Code from the text message"
          hint="Six digits, valid for ten minutes."
          error={state.errors.code}
        >
          {(attributes) => (
            <Input
              {...attributes}
              name="code"
              inputMode="numeric"
              autoComplete="one-time-code"
              maxLength={20}
              defaultValue={state.values.code}
              className="max-w-48 text-center text-xl tracking-[0.25em] tabular-nums"
            />
          )}
        </Field>
        <SubmitButton busy={confirm.pending}>Confirm number</SubmitButton>
      </form>
      <form {...again.form}>
        <input type="hidden" name="phone" value={phone} />
        <SubmitButton busy={again.pending} kind="plain" className="-ml-4">
          Text the code again
        </SubmitButton>
        <p role="status" className="text-sm text-ink-soft">
          {again.state.message ??
            again.state.errors.phone ??
            (again.state.answer > 0 ? "It is on its way again." : null)}
        </p>
      </form>
    </div>
  );
}
