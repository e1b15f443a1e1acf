import { DURATIONS } from "./durations";

/** The console's durations that end. */
const WITH_END = DURATIONS.flatMap(({ word, name, ms }) => (ms === null ? [] : [{ word, name, ms }]));

/** How long an update may wait before a policy acts on it. */
export const POLICY_WINDOWS = WITH_END;

/** Whether a policy is only written down, acts for a while, or ends now. */
type PolicyTerm = { word: string; name: string } & (
  | { kind: "written" | "off" }
  | { kind: "for"; ms: number }
);

const WRITTEN: PolicyTerm = { word: "written", name: "only write it down", kind: "written" };

export const POLICY_TERMS: readonly PolicyTerm[] = [
  WRITTEN,
  ...WITH_END.map(({ word, name, ms }) => ({ word, name: `act for ${name}`, kind: "for" as const, ms })),
  { word: "off", name: "switch it off", kind: "off" },
];

/** The window that a word names; a word that names none reads as an hour. */
export function readPolicyWindow(word: string | undefined): { word: string; name: string; ms: number } {
  return POLICY_WINDOWS.find((known) => known.word === word) ?? { word: "1h", name: "1 hour", ms: 3_600_000 };
}

/** The term that a word names; a word that names none changes nothing yet. */
export function readPolicyTerm(word: string | undefined): PolicyTerm {
  return POLICY_TERMS.find((known) => known.word === word) ?? WRITTEN;
}
