import { type DeadLetterFilter, deadLetterFilter } from "../../db/redrive/filter";
import { address, one, type Query } from "./words";

/** The names under which a filter of dead letters stands in an address. */
const NAMES = {
  channel: "channel",
  partition: "partition",
  reason: "reason",
  diedAfterMs: "from",
  diedBeforeMs: "until",
} as const;

/** Reads which dead letters an address means; what it does not know is left out. */
export function readDeadFilter(query: Query): DeadLetterFilter {
  const filter: Record<string, unknown> = {};
  for (const [field, name] of Object.entries(NAMES)) {
    const text = one(query, name);
    if (text === undefined) continue;
    const value = field.endsWith("Ms") ? Number(text) : text;
    if (deadLetterFilter.safeParse({ [field]: value }).success) filter[field] = value;
  }
  return deadLetterFilter.parse(filter);
}

/** The filter as words for an address or the hidden fields of a form. */
export function deadFilterWords(filter: DeadLetterFilter): Record<string, string> {
  const words = Object.entries(NAMES).map(([field, name]) => {
    const value = filter[field as keyof typeof NAMES];
    return [name, value === undefined ? "" : String(value)] as const;
  });
  return Object.fromEntries(words.filter(([, value]) => value !== ""));
}

/** An address that means these dead letters. */
export function deadAddress(
  path: string,
  filter: DeadLetterFilter,
  more: Record<string, string | undefined> = {},
): string {
  return address(path, { ...deadFilterWords(filter), ...more });
}

interface Letter {
  deliveryId: string;
  burialId: string;
}

/** Dead letters as one field of a form: exactly those that a page has shown. */
export function writeLetters(letters: readonly Letter[]): string {
  return letters.map(({ deliveryId, burialId }) => `${deliveryId}.${burialId}`).join(" ");
}

/** The dead letters that a field names; the verb refuses what is none. */
export function readLetters(text: string): Letter[] {
  return text
    .split(" ")
    .filter((word) => word !== "")
    .map((word) => {
      const [deliveryId = "", burialId = ""] = word.split(".");
      return { deliveryId, burialId };
    });
}
