"use client";

import { BellRing } from "lucide-react";
import { fill } from "../../../../db/rules/speech";
import { UNSENT } from "../../../_forms/form-state";
import { useKeptForm } from "../../../_forms/use-kept-form";
import { useWords } from "../../../_language/give-words";
import { SubmitButton } from "../../../_ui/submit-button";
import { testDevice } from "./actions";

/** Sends a test to one device, so that one does not wait for a reminder to find out. */
export function TestDevice({ deviceId, name }: { deviceId: string; name: string }) {
  const { devices } = useWords("devices").words;
  const { state, pending, form } = useKeptForm(testDevice.bind(null, deviceId), UNSENT);
  return (
    <form {...form} className="flex flex-wrap items-center gap-3">
      <SubmitButton busy={pending} kind="secondary" icon={<BellRing aria-hidden className="size-4" />}>
        {devices.test}
        <span className="sr-only"> {fill(devices.testTo, { name })}</span>
      </SubmitButton>
      <p role="status" className="text-sm text-ink-soft">
        {state.message}
      </p>
    </form>
  );
}
