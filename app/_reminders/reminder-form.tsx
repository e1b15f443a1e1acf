"use client";

import { ChevronDown } from "lucide-react";
import { useRouter } from "next/navigation";
import { type ReactNode, useEffect } from "react";
import { NOTE_MAX_CHARACTERS, TITLE_MAX_CHARACTERS } from "../../db/rules/api-schemas";
import { type FormState, UNSENT } from "../_forms/form-state";
import { useKeptForm } from "../_forms/use-kept-form";
import { useWords } from "../_language/give-words";
import { ButtonLink } from "../_ui/button";
import { Field, Input, TextArea } from "../_ui/field";
import { Notice } from "../_ui/notice";
import { SubmitButton } from "../_ui/submit-button";
import type { ChannelChoice } from "./channel-choices";
import { ChannelPicker } from "./channel-picker";
import type { OwnQuietHours } from "./quiet-question";
import type { RepeatInput } from "./repeat-input";
import type { ComposerWhen } from "./use-when";
import { WhenFields } from "./when-fields";

export interface ReminderInput extends ComposerWhen {
  plan: "all" | "steps";
  stepMinutes: string;
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
  quiet: OwnQuietHours | null;
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
  quiet,
  nowMs,
  intention,
  submit,
  back,
}: ReminderFormProps) {
  const { composer: words } = useWords("composer").words;
  const { state, pending, form } = useKeptForm(action, UNSENT);
  const typed = (name: keyof ReminderInput & string) => state.values[name] ?? String(initial[name]);
  const sent = state.answer > 0;
  const chosen = state.values.channels?.split(",") ?? initial.channels;
  useRefreshOnReturn(choices.some((choice) => !choice.ready));
  return (
    <form {...form} noValidate className="space-y-8">
      {state.message !== null && <Notice kind="bad">{state.message}</Notice>}
      {intention !== undefined && (
        <input type="hidden" name="intention" value={state.values.intention ?? intention} readOnly />
      )}
      <Field id="title" label={words.what} error={state.errors.title}>
        {(attributes) => (
          <Input
            {...attributes}
            name="title"
            dir="auto"
            required
            maxLength={TITLE_MAX_CHARACTERS}
            autoComplete="off"
            placeholder={words.example}
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
          typed: typed("typed"),
          floating: sent ? state.values.floating === "on" : initial.floating,
          throughQuiet: sent ? state.values.throughQuiet === "yes" : initial.throughQuiet,
          repeat: sent ? repeatFrom(state.values) : initial.repeat,
        }}
        zones={zones}
        quiet={quiet}
        nowMs={nowMs}
        error={state.errors.when}
        repeatError={state.errors.repeat}
      />
      <ChannelPicker
        choices={choices}
        chosen={chosen}
        plan={typed("plan") === "steps" ? "steps" : "all"}
        stepMinutes={typed("stepMinutes") || initial.stepMinutes}
        error={state.errors.channels}
      />
      <More
        label={words.more}
        open={
          typed("note") !== "" ||
          typed("url") !== "" ||
          state.errors.note !== undefined ||
          state.errors.url !== undefined
        }
      >
        <Field id="note" label={words.note} optional={words.optional} error={state.errors.note}>
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
        <Field
          id="url"
          label={words.link}
          optional={words.optional}
          hint={words.linkHint}
          error={state.errors.url}
        >
          {(attributes) => (
            <Input
              {...attributes}
              name="url"
              type="url"
              dir="ltr"
              inputMode="url"
              autoCapitalize="none"
              spellCheck={false}
              placeholder="https://"
              defaultValue={typed("url")}
            />
          )}
        </Field>
      </More>
      <div className="sticky bottom-0 -mx-5 flex flex-wrap gap-3 border-t border-line bg-surface px-5 py-4 sm:static sm:mx-0 sm:px-0 sm:pb-0">
        <SubmitButton busy={pending} className="grow sm:grow-0">
          {submit}
        </SubmitButton>
        <ButtonLink href={back} kind="secondary">
          {words.back}
        </ButtonLink>
      </div>
    </form>
  );
}

/** What few reminders need is one step away, so that setting one stays a matter of seconds. */
function More({ label, open, children }: { label: string; open: boolean; children: ReactNode }) {
  return (
    <details open={open} className="group">
      <summary className="inline-flex min-h-11 items-center gap-2 font-medium text-accent-ink">
        <ChevronDown aria-hidden className="size-4 motion-safe:transition-transform group-open:rotate-180" />
        {label}
      </summary>
      <div className="mt-3 space-y-6">{children}</div>
    </details>
  );
}

/** The fields of repetition as they came back from a refusal. */
function repeatFrom(values: Record<string, string>): RepeatInput {
  return {
    repeat: (values.repeat ?? "") as RepeatInput["repeat"],
    interval: values.interval || "1",
    days: values.days ?? "",
    ends: (values.ends || "never") as RepeatInput["ends"],
    until: values.until ?? "",
    count: values.count || "10",
  };
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
