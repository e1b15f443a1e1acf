"use client";

import Link from "next/link";
import { type FormState, UNSENT } from "../_forms/form-state";
import { useKeptForm } from "../_forms/use-kept-form";
import { type ButtonKind, buttonClass } from "../_ui/button";
import { Field, FieldError, Input, TextArea } from "../_ui/field";
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
  /** One of several things that can be done; none is chosen beforehand. */
  choices?: Choices;
}

interface Choices {
  name: string;
  legend: string;
  options: readonly { value: string; name: string; hint: string }[];
}

/** Asks for the reason and carries out what its page has shown. Without script it is an ordinary form. */
export function ConfirmForm({
  action,
  chosen,
  button,
  kind = "primary",
  back,
  typed,
  choices,
}: ConfirmFormProps) {
  const { state, pending, form } = useKeptForm(action, UNSENT);
  return (
    <form {...form} noValidate className="space-y-5">
      {state.message !== null && <Notice kind="bad">{state.message}</Notice>}
      {Object.entries(chosen).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {choices !== undefined && (
        <ChoiceFields
          choices={choices}
          chosen={state.values[choices.name]}
          error={state.errors[choices.name]}
        />
      )}
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

interface ChoiceFieldsProps {
  choices: Choices;
  chosen: string | undefined;
  error: string | undefined;
}

function ChoiceFields({ choices, chosen, error }: ChoiceFieldsProps) {
  return (
    <fieldset className="min-w-0 space-y-3" aria-describedby="choice-error">
      <legend className="mb-2 font-medium">{choices.legend}</legend>
      {choices.options.map(({ value, name, hint }) => (
        <label key={value} className="flex items-start gap-3">
          <input
            type="radio"
            name={choices.name}
            value={value}
            defaultChecked={chosen === value}
            className="mt-1 size-5 shrink-0 accent-accent"
          />
          <span>
            <span className="font-medium">{name}</span>
            <span className="block text-sm text-ink-soft">{hint}</span>
          </span>
        </label>
      ))}
      <FieldError id="choice-error" error={error} />
    </fieldset>
  );
}
