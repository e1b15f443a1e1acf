"use client";

import { AlarmClock } from "lucide-react";
import { fill } from "../../db/rules/speech";
import { type FormState, UNSENT } from "../_forms/form-state";
import { useKeptForm } from "../_forms/use-kept-form";
import { useWords } from "../_language/give-words";
import { buttonClass } from "../_ui/button";
import { Disclosure } from "../_ui/disclosure";
import { FieldError, Input } from "../_ui/field";
import { Notice } from "../_ui/notice";
import { SubmitButton } from "../_ui/submit-button";

/** A snooze that is offered, with the time that it comes to. */
export interface SnoozeOffer {
  /** Minutes from the moment it is sent, or a wall time of the reminder's zone. */
  value: string;
  name: string;
  /** The time, as it is shown. */
  at: string;
}

interface SnoozeMenuProps {
  action: (state: FormState, form: FormData) => Promise<FormState>;
  offers: readonly SnoozeOffer[];
  zone: string;
}

/** Puts a reminder off: a few usual times, or any other. */
export function SnoozeMenu({ action, offers, zone }: SnoozeMenuProps) {
  const { snooze: words } = useWords("snooze").words;
  const { state, pending, form } = useKeptForm(action, UNSENT);
  return (
    <Disclosure
      label={
        <>
          <AlarmClock aria-hidden className="size-4" />
          {words.snooze}
        </>
      }
      summaryClass={buttonClass("secondary")}
      panelClass="start-0 w-80 max-sm:fixed max-sm:inset-x-3 max-sm:bottom-3 max-sm:w-auto"
    >
      <form {...form} noValidate className="space-y-1">
        {state.message !== null && <Notice kind="bad">{state.message}</Notice>}
        {offers.map(({ value, name, at }) => (
          <button
            key={value}
            type="submit"
            name="until"
            value={value}
            disabled={pending}
            className="flex min-h-11 w-full items-center justify-between gap-4 rounded-lg px-3 text-start hover:bg-sunken disabled:opacity-60"
          >
            <span className="font-medium">{name}</span>
            <span className="text-sm text-ink-soft">{at}</span>
          </button>
        ))}
        <fieldset className="min-w-0 space-y-2 border-t border-line px-3 pt-3 pb-2">
          <legend className="sr-only">{words.anotherTime}</legend>
          <p className="text-sm text-ink-soft">{fill(words.anotherTimeIn, { zone })}</p>
          <div className="flex gap-2">
            <Input
              name="date"
              type="date"
              aria-label={words.date}
              aria-invalid={invalid(state)}
              defaultValue={state.values.date}
              className="min-w-0 px-2!"
            />
            <Input
              name="time"
              type="time"
              aria-label={words.time}
              aria-invalid={invalid(state)}
              defaultValue={state.values.time}
              className="min-w-0 px-2!"
            />
          </div>
          <FieldError id="snooze-error" error={state.errors.when} />
          <SubmitButton busy={pending} name="until" value="custom" kind="secondary" className="w-full">
            {words.untilThen}
          </SubmitButton>
        </fieldset>
      </form>
    </Disclosure>
  );
}

function invalid(state: FormState): true | undefined {
  return state.errors.when === undefined ? undefined : true;
}
