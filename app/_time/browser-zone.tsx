"use client";

import { useSyncExternalStore } from "react";

const never = () => () => {};

/** The zone that this browser is in; an empty text on the server and before the page has woken up. */
export function useBrowserZone(): string {
  return useSyncExternalStore(
    never,
    () => Intl.DateTimeFormat().resolvedOptions().timeZone,
    () => "",
  );
}

/** Tells a form's action in which zone and language the browser is. */
export function BrowserZoneFields() {
  const zone = useBrowserZone();
  const language = useSyncExternalStore(
    never,
    () => navigator.language,
    () => "",
  );
  return (
    <>
      <input type="hidden" name="timeZone" value={zone} readOnly />
      <input type="hidden" name="locale" value={language} readOnly />
    </>
  );
}
