const MINUTE_MS = 60_000;

/** How long an update may wait before a policy acts on it. */
export const POLICY_WINDOWS = [
  { word: "15m", name: "15 minutes", ms: 15 * MINUTE_MS },
  { word: "1h", name: "1 hour", ms: 60 * MINUTE_MS },
  { word: "4h", name: "4 hours", ms: 240 * MINUTE_MS },
  { word: "12h", name: "12 hours", ms: 720 * MINUTE_MS },
] as const;

/** Whether a policy is only written down, acts for a while, or ends now. */
export const POLICY_TERMS = [
  { word: "written", name: "only write it down", kind: "written" },
  { word: "1h", name: "act for 1 hour", kind: "for", ms: 60 * MINUTE_MS },
  { word: "4h", name: "act for 4 hours", kind: "for", ms: 240 * MINUTE_MS },
  { word: "12h", name: "act for 12 hours", kind: "for", ms: 720 * MINUTE_MS },
  { word: "off", name: "switch it off", kind: "off" },
] as const;

/** The window that a word names; a word that names none reads as an hour. */
export function readPolicyWindow(word: string | undefined): (typeof POLICY_WINDOWS)[number] {
  return POLICY_WINDOWS.find((known) => known.word === word) ?? POLICY_WINDOWS[1];
}

/** The term that a word names; a word that names none changes nothing yet. */
export function readPolicyTerm(word: string | undefined): (typeof POLICY_TERMS)[number] {
  return POLICY_TERMS.find((known) => known.word === word) ?? POLICY_TERMS[0];
}
