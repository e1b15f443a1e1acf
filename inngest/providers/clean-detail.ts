import { cleanProviderText } from "../../db/rules/text";

/** Enough for every provider's sentence, and within the ledger's bound. */
const DETAIL_CHARACTERS_MAX = 300;
const HEADER_CHARACTERS_MAX = 200;
const CODE_CHARACTERS_MAX = 64;
/** A body is looked at no further: a kilobyte of error is already no sentence. */
const BODY_CHARACTERS_READ = 4000;

const PERSONAL: readonly (readonly [RegExp, string])[] = [
  // Push endpoints are capabilities, other links may carry tokens.
  [/\b[a-z][a-z\d+.-]*:\/\/[^\s"'<>]+/gi, "(link)"],
  // With whatever sticks to it: better a bracket lost than half an address kept.
  [/[^\s<>@]+@[^\s<>@]+/g, "(address)"],
  // Ids and tokens. Before numbers, so that no part of one is left over.
  [/[\w-]{24,}/g, "(token)"],
  [/\+?\(?\d(?:[\s().-]*\d){6,}/g, "(number)"],
];

/**
 * The provider's words as they may be stored and shown to operators: markup, addresses, phone numbers, links and
 * tokens taken out, safe for text and jsonb, at most 300 characters. Null when nothing is left. Never throws.
 */
export function cleanDetail(text: string | null): string | null {
  if (text === null) return null;
  const plain = text.slice(0, BODY_CHARACTERS_READ).replace(/<[^>]*>/g, " ");
  const impersonal = PERSONAL.reduce((rest, [pattern, name]) => rest.replace(pattern, name), plain);
  const clean = cleanProviderText(impersonal.replace(/\s+/g, " ").trim(), DETAIL_CHARACTERS_MAX);
  return clean === "" ? null : clean;
}

/** A header as sent, bounded for storage. */
export function cleanHeader(value: string | null): string | null {
  return value === null ? null : cleanProviderText(value, HEADER_CHARACTERS_MAX);
}

/** A provider's error name or number, bounded; null for anything that is neither. */
export function cleanCode(value: unknown): string | null {
  if (typeof value !== "string" && typeof value !== "number") return null;
  const clean = cleanProviderText(String(value), CODE_CHARACTERS_MAX).replace(/[^\w.:/-]+/g, "_");
  return clean === "" ? null : clean;
}
