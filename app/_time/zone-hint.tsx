"use client";

import { useState } from "react";
import { fill } from "../../db/rules/speech";
import { sameTimeZone } from "../../db/rules/time-zone";
import { useWords } from "../_language/give-words";
import { SubmitButton } from "../_ui/submit-button";
import { adoptZone } from "./actions";
import { useBrowserZone } from "./browser-zone";
import { zoneLabel } from "./format";

/** Offers the browser's zone when it is not the one that times are read in. */
export function ZoneHint({ stored }: { stored: string }) {
  const { zone: words } = useWords("zone").words;
  const zone = useBrowserZone();
  const [dismissed, setDismissed] = useState(false);
  if (zone === "" || dismissed || isSame(zone, stored)) return null;
  return (
    <form
      action={adoptZone}
      className="flex flex-wrap items-center justify-between gap-3 rounded-xl bg-waiting-soft px-4 py-3 text-[0.9375rem] text-waiting"
    >
      <p>{fill(words.differs, { zone: zoneLabel(zone), stored: zoneLabel(stored) })}</p>
      <input type="hidden" name="timeZone" value={zone} />
      <div className="flex flex-wrap gap-2">
        <SubmitButton kind="secondary">{fill(words.use, { zone: zoneLabel(zone) })}</SubmitButton>
        <button
          type="button"
          onClick={() => setDismissed(true)}
          className="min-h-10 rounded-lg px-3 font-medium underline-offset-2 hover:underline"
        >
          {words.notNow}
        </button>
      </div>
    </form>
  );
}

/** Browsers know zones that we do not; such a one is not offered. */
function isSame(zone: string, stored: string): boolean {
  try {
    return sameTimeZone(zone, stored);
  } catch {
    return true;
  }
}
