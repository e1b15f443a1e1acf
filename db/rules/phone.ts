import { isSupportedCountry, type PhoneNumber, parsePhoneNumberFromString } from "libphonenumber-js/max";
import { invalid, ok, type Result } from "./errors";

const ACCEPTED =
  'a phone number that can receive text messages, with country code, such as "+49 1512 3456789"';
/** A number has at most 15 digits (E.164); the rest of the room is for spaces, brackets and hyphens. */
const PHONE_MAX_CHARACTERS = 64;
/** The other kinds are premium, shared-cost, toll-free, pager, voicemail and company numbers: not one person's phone. */
const PERSONAL_TYPES = new Set<string>(["MOBILE", "FIXED_LINE", "FIXED_LINE_OR_MOBILE", "VOIP"]);

/**
 * Checks a phone number and returns it in E.164 (`+12025550123`), so that every spelling of one number is one number.
 *
 * Takes `+` or `00` and a country code, or with `defaultCountry` (ISO 3166, `DE`) a national number. Without either it
 * is refused: digits alone could be a stranger's number in another country. Full-width and Arabic digits, and the
 * invisible characters that contact lists add, are normalised. Refused: extensions, letters, short and emergency
 * numbers, and numbers that are not one person's phone (premium, shared-cost, toll-free, pager, voicemail).
 *
 * Argentine and Brazilian numbers stay as typed: whether the mobile prefix (9) belongs there cannot be known from the
 * digits, and inventing one breaks landlines. Validity comes from libphonenumber's full metadata.
 */
export function checkPhone(field: string, value: unknown, defaultCountry?: string): Result<string> {
  if (typeof value !== "string" || value.length > PHONE_MAX_CHARACTERS)
    return invalid(field, value, ACCEPTED);
  const typed = plainPhoneText(value);
  if (/[;x#,]/i.test(typed)) {
    return invalid(field, value, ACCEPTED, `${field} must not have an extension. Accepted: ${ACCEPTED}.`);
  }
  if (!/^\+?[0-9(][0-9() ./-]*$/.test(typed)) return invalid(field, value, ACCEPTED);

  const number = readNumber(typed, defaultCountry);
  if (number === null) {
    const hint =
      /^(?:\+|00)/.test(typed) || defaultCountry !== undefined
        ? ""
        : " It must start with + and a country code.";
    return invalid(
      field,
      value,
      ACCEPTED,
      `${field} is not a phone number in use.${hint} Accepted: ${ACCEPTED}.`,
    );
  }
  const type = number.getType();
  if (type === undefined || !PERSONAL_TYPES.has(type)) {
    const kind = type === undefined ? "special" : type.toLowerCase().replaceAll("_", " ");
    return invalid(field, value, ACCEPTED, `${field} is a ${kind} number. Accepted: ${ACCEPTED}.`);
  }
  return ok(number.number);
}

/** ASCII digits and punctuation; without bidi marks and other invisible characters around or between the digits. */
function plainPhoneText(value: string): string {
  return value
    .normalize("NFKC")
    .replace(/[\p{Cf}\p{Cs}]/gu, "")
    .replace(/[\u0660-\u0669]/g, (digit) => String((digit.codePointAt(0) ?? 0) - 0x0660))
    .replace(/[\u06f0-\u06f9]/g, (digit) => String((digit.codePointAt(0) ?? 0) - 0x06f0))
    .replace(/\p{Pd}/gu, "-")
    .replace(/\p{Zs}/gu, " ")
    .trim();
}

function readNumber(typed: string, defaultCountry: string | undefined): PhoneNumber | null {
  const country = defaultCountry?.toUpperCase();
  const known = country !== undefined && isSupportedCountry(country) ? country : undefined;
  // With a country first, since it knows its own exit code (011, 0011, 010); 00 is the one most of the world dials.
  const spellings = typed.startsWith("00") ? [typed, `+${typed.slice(2)}`] : [typed];
  for (const spelling of spellings) {
    const number = parsePhoneNumberFromString(spelling, { defaultCountry: known, extract: false });
    if (number === undefined) continue;
    if (number.isValid()) return number;
    const current = withoutMexicanMobilePrefix(number);
    if (current !== null) return current;
  }
  return null;
}

/**
 * Mexico dropped the 1 between country code and mobile number in August 2019: +52 1 and ten digits is the old spelling
 * of +52 and ten digits, for every number. Address books still have it.
 */
function withoutMexicanMobilePrefix(number: PhoneNumber): PhoneNumber | null {
  const match = /^\+521(\d{10})$/.exec(number.number);
  if (match === null) return null;
  const current = parsePhoneNumberFromString(`+52${match[1]}`);
  return current?.isValid() ? current : null;
}

/** A number for screens and logs: country code and the last two digits (`+1 ••• 23`). */
export function maskPhone(phone: string): string {
  const number = parsePhoneNumberFromString(phone);
  return number === undefined
    ? "•••"
    : `+${number.countryCallingCode} ••• ${number.nationalNumber.slice(-2)}`;
}

/** The country calling code of a number (`49`): countries that share one share what is paid for it. */
export function callingCode(phone: string): string {
  return parsePhoneNumberFromString(phone)?.countryCallingCode ?? "unknown";
}
