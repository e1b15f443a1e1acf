"use client";

import Link from "next/link";
import { type FormState, UNSENT } from "../_forms/form-state";
import { useKeptForm } from "../_forms/use-kept-form";
import { type ButtonKind, buttonClass } from "../_ui/button";
import { Field, Input, TextArea } from "../_ui/field";
import { Notice } from "../_ui/notice";
import { SubmitButton } from "../_ui/submit-button";

interface ConfirmFormProps {
  action: (state: FormState, form: FormData) => Promise<FormState>;
  /** What was chosen on the page before, sent as it was shown. */
  chosen: Record<string, string>;
  /** The verb with its object, so that nobody confirms the wrong thing. */
  button: string;
  kind?: ButtonKind;
  /** The way out. */
  back: { href: string; name: string };
  /** A text that must be typed, for what cannot be taken back. */
  typed?: { label: string; hint: string };
}

/** Asks for the reason and carries out what its page has shown. Without script it is an ordinary form. */
export function ConfirmForm({ action, chosen, button, kind = "primary", back, typed }: ConfirmFormProps) {
  const { state, pending, form } = useKeptForm(action, UNSENT);
  return (
    <form {...form} noValidate className="space-y-5">
      {state.message !== null && <Notice kind="bad">{state.message}</Notice>}
      {Object.entries(chosen).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <Field
        id="reason"
        label="Reason"
        hint="Stays in the audit log beside your name. Say what whoever comes next will want to know."
        error={state.errors.reason}
      >
        {(attributes) => (
          <TextArea
            {...attributes}
            name="reason"
            rows={2}
            required
            maxLength={1000}
            defaultValue={state.values.reason}
          />
        )}
      </Field>
      {typed !== undefined && (
        <Field id="typed" label={typed.label} hint={typed.hint} error={state.errors.typed}>
          {(attributes) => (
            <Input
              {...attributes}
              name="typed"
              inputMode="numeric"
              autoComplete="off"
              className="max-w-40"
              defaultValue={state.values.typed}
            />
          )}
        </Field>
      )}
      <div className="flex flex-wrap gap-3">
        <SubmitButton kind={kind} busy={pending} className="max-w-full break-words">
          {button}
        </SubmitButton>
        <Link href={back.href} className={buttonClass("secondary")}>
          {back.name}
        </Link>
      </div>
    </form>
  );
}
