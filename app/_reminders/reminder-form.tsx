"use client";

import { useRouter } from "next/navigation";
import { useEffect } from "react";
import { NOTE_MAX_CHARACTERS, TITLE_MAX_CHARACTERS } from "../../db/rules/api-schemas";
import { type FormState, UNSENT } from "../_forms/form-state";
import { useKeptForm } from "../_forms/use-kept-form";
import { ButtonLink } from "../_ui/button";
import { Field, Input, TextArea } from "../_ui/field";
import { Notice } from "../_ui/notice";
import { SubmitButton } from "../_ui/submit-button";
import type { ChannelChoice } from "./channel-choices";
import { ChannelPicker } from "./channel-picker";
import type { WhenInput } from "./due-input";
import { WhenFields } from "./when-fields";

export interface ReminderInput extends WhenInput {
  title: string;
  note: string;
  url: string;
  channels: string[];
}

interface ReminderFormProps {
  action: (state: FormState, form: FormData) => Promise<FormState>;
  initial: ReminderInput;
  choices: readonly ChannelChoice[];
  zones: readonly string[];
  nowMs: number;
  /** Tells one intention to set a reminder from the next; absent where an intention repeated does no harm. */
  intention?: string;
  submit: string;
  back: string;
}

/** The form of a reminder, for a new one and for one that is changed. What was typed stays when it is refused. */
export function ReminderForm({
  action,
  initial,
  choices,
  zones,
  nowMs,
  intention,
  submit,
  back,
}: ReminderFormProps) {
  const { state, pending, form } = useKeptForm(action, UNSENT);
  const typed = (name: keyof ReminderInput & string) => state.values[name] ?? String(initial[name]);
  const chosen = state.values.channels?.split(",") ?? initial.channels;
  useRefreshOnReturn(choices.some((choice) => !choice.ready));
  return (
    <form {...form} noValidate className="space-y-8">
      {state.message !== null && <Notice kind="bad">{state.message}</Notice>}
      {intention !== undefined && (
        <input type="hidden" name="intention" value={state.values.intention ?? intention} readOnly />
      )}
      <Field id="title" label="What" error={state.errors.title}>
        {(attributes) => (
          <Input
            {...attributes}
            name="title"
            dir="auto"
            required
            maxLength={TITLE_MAX_CHARACTERS}
            autoComplete="off"
            placeholder="Collect the parcel"
            defaultValue={typed("title")}
          />
        )}
      </Field>
      <WhenFields
        initial={{
          choice: typed("choice"),
          date: typed("date"),
          time: typed("time"),
          timeZone: typed("timeZone"),
        }}
        zones={zones}
        nowMs={nowMs}
        error={state.errors.when}
      />
      <ChannelPicker choices={choices} chosen={chosen} error={state.errors.channels} />
      <Field id="note" label="Note" optional error={state.errors.note}>
        {(attributes) => (
          <TextArea
            {...attributes}
            name="note"
            dir="auto"
            rows={3}
            maxLength={NOTE_MAX_CHARACTERS}
            defaultValue={typed("note")}
          />
        )}
      </Field>
      <Field id="url" label="Link" optional hint="Opened from the message." error={state.errors.url}>
        {(attributes) => (
          <Input
            {...attributes}
            name="url"
            type="url"
            inputMode="url"
            autoCapitalize="none"
            spellCheck={false}
            placeholder="https://"
            defaultValue={typed("url")}
          />
        )}
      </Field>
      <div className="sticky bottom-0 -mx-5 flex flex-wrap gap-3 border-t border-line bg-surface px-5 py-4 sm:static sm:mx-0 sm:px-0 sm:pb-0">
        <SubmitButton busy={pending} className="grow sm:grow-0">
          {submit}
        </SubmitButton>
        <ButtonLink href={back} kind="secondary">
          Back
        </ButtonLink>
      </div>
    </form>
  );
}

/** Coming back from confirming a number in another tab, the picker offers it without losing what was typed. */
function useRefreshOnReturn(wanted: boolean) {
  const router = useRouter();
  useEffect(() => {
    if (!wanted) return;
    const refresh = () => {
      if (document.visibilityState === "visible") router.refresh();
    };
    document.addEventListener("visibilitychange", refresh);
    return () => document.removeEventListener("visibilitychange", refresh);
  }, [router, wanted]);
}
