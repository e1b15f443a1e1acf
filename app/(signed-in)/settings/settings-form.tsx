"use client";

import { MESSAGE_LOCALES, type MessageLocale } from "../../../db/rules/message-locale";
import type { QuietHours } from "../../../db/rules/quiet-hours";
import { UNSENT } from "../../_forms/form-state";
import { useKeptForm } from "../../_forms/use-kept-form";
import { useWords } from "../../_language/give-words";
import { ZoneSelect } from "../../_time/zone-select";
import { Field, Input, Select } from "../../_ui/field";
import { Notice } from "../../_ui/notice";
import { SubmitButton } from "../../_ui/submit-button";
import { saveSettings } from "./actions";

interface SettingsFormProps {
  locale: MessageLocale;
  timeZone: string;
  zones: readonly string[];
  quietHours: QuietHours | null;
}

/** What quiet hours most people would choose. */
const USUAL: QuietHours = { start: "22:00", end: "08:00" };

/** Each language by its own name. */
const NAMES: Record<MessageLocale, string> = {
  en: "English",
  de: "Deutsch",
  fr: "Français",
  ar: "العربية",
};

export function SettingsForm({ locale, timeZone, zones, quietHours }: SettingsFormProps) {
  const { settings: words } = useWords("settings").words;
  const { state, pending, form } = useKeptForm(saveSettings, UNSENT);
  const { values, errors } = state;
  const sent = state.answer > 0;
  return (
    <form {...form} noValidate className="space-y-8">
      <Field id="locale" label={words.language} hint={words.languageHint} error={errors.locale}>
        {(attributes) => (
          <Select {...attributes} name="locale" defaultValue={values.locale ?? locale} className="max-w-sm">
            {MESSAGE_LOCALES.map((one) => (
              <option key={one} value={one} lang={one}>
                {NAMES[one]}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field id="timeZone" label={words.timeZone} hint={words.timeZoneHint} error={errors.timeZone}>
        {(attributes) => (
          <ZoneSelect
            {...attributes}
            name="timeZone"
            zones={zones}
            defaultValue={values.timeZone ?? timeZone}
            className="max-w-sm"
          />
        )}
      </Field>
      <fieldset className="space-y-3">
        <legend className="mb-1 font-medium">{words.quiet}</legend>
        <label className="group flex items-start gap-3">
          <input
            type="checkbox"
            name="quiet"
            defaultChecked={sent ? values.quiet === "on" : quietHours !== null}
            className="mt-1 size-5 shrink-0 accent-accent"
          />
          <span>
            {words.quietAtNight}
            <span className="block text-sm text-ink-soft">{words.quietHint}</span>
          </span>
        </label>
        <div className="flex flex-wrap gap-4 ps-8">
          <Field id="quietFrom" label={words.from} error={errors.quietFrom}>
            {(attributes) => (
              <Input
                {...attributes}
                name="quietFrom"
                type="time"
                defaultValue={values.quietFrom ?? quietHours?.start ?? USUAL.start}
                className="w-36"
              />
            )}
          </Field>
          <Field id="quietUntil" label={words.until} error={errors.quietUntil}>
            {(attributes) => (
              <Input
                {...attributes}
                name="quietUntil"
                type="time"
                defaultValue={values.quietUntil ?? quietHours?.end ?? USUAL.end}
                className="w-36"
              />
            )}
          </Field>
        </div>
      </fieldset>
      <div>
        <SubmitButton busy={pending}>{words.save}</SubmitButton>
        <div aria-live="polite" className="mt-4 empty:mt-0">
          {state.message !== null && (
            <Notice kind={values.saved === "yes" ? "good" : "bad"}>{state.message}</Notice>
          )}
        </div>
      </div>
    </form>
  );
}
