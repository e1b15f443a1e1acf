"use client";

import type { QuietHours } from "../../../db/rules/quiet-hours";
import { UNSENT } from "../../_forms/form-state";
import { useKeptForm } from "../../_forms/use-kept-form";
import { ZoneSelect } from "../../_time/zone-select";
import { Field, Input } from "../../_ui/field";
import { Notice } from "../../_ui/notice";
import { SubmitButton } from "../../_ui/submit-button";
import { saveSettings } from "./actions";

interface SettingsFormProps {
  timeZone: string;
  zones: readonly string[];
  quietHours: QuietHours | null;
}

/** What quiet hours most people would choose. */
const USUAL: QuietHours = { start: "22:00", end: "08:00" };

export function SettingsForm({ timeZone, zones, quietHours }: SettingsFormProps) {
  const { state, pending, form } = useKeptForm(saveSettings, UNSENT);
  const { values, errors } = state;
  const sent = state.answer > 0;
  return (
    <form {...form} noValidate className="space-y-8">
      <Field
        id="timeZone"
        label="Time zone"
        hint="Where your times are read. Reminders keep the zone they were set in, unless you set them for wherever you are."
        error={errors.timeZone}
      >
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
        <legend className="mb-1 font-medium">Quiet hours</legend>
        <label className="group flex items-start gap-3">
          <input
            type="checkbox"
            name="quiet"
            defaultChecked={sent ? values.quiet === "on" : quietHours !== null}
            className="mt-1 size-5 shrink-0 accent-accent"
          />
          <span>
            Keep quiet at night
            <span className="block text-sm text-ink-soft">
              What is due then waits until they end. Sign-in codes still come at once.
            </span>
          </span>
        </label>
        <div className="flex flex-wrap gap-4 pl-8">
          <Field id="quietFrom" label="From" error={errors.quietFrom}>
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
          <Field id="quietUntil" label="Until" error={errors.quietUntil}>
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
        <SubmitButton busy={pending}>Save settings</SubmitButton>
        <div aria-live="polite" className="mt-4 empty:mt-0">
          {state.message !== null && (
            <Notice kind={values.saved === "yes" ? "good" : "bad"}>{state.message}</Notice>
          )}
        </div>
      </div>
    </form>
  );
}
