import { invalid, ok, type Result } from "./errors";

const ACCEPTED = 'an email address, such as "name@example.com"';
/** RFC 5321 sections 4.5.3.1.1 and 4.5.3.1.3: 64 octets before the @, 256 in a path, so 254 between its brackets. */
const LOCAL_PART_MAX = 64;
const ADDRESS_MAX = 254;
/** RFC 1035 section 2.3.4. */
const LABEL_MAX = 63;

/** RFC 5322 `dot-atom`, ASCII: no quoted form, no dot at either end, no two dots in a row. */
const LOCAL_PART = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
/** Letters, marks and digits of any script, joined by hyphens and dots: what may be a host name before punycode. */
const DOMAIN_AS_TYPED = /^[\p{L}\p{M}\p{N}-]+(?:[.\u3002][\p{L}\p{M}\p{N}-]+)+$/u;
const DOMAIN_LABEL = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;

/**
 * Checks an email address and returns the form that is stored and sent to: trimmed, the domain lower-cased and in
 * punycode, the local part as typed (plus tags are kept).
 *
 * Refused: quoted and non-ASCII local parts (the provider takes neither for certain), dots at the ends or in a row,
 * over-long parts, IP addresses and single-label domains, a trailing dot, and any control character, so that no line
 * break reaches a mail header.
 */
export function checkEmailAddress(field: string, value: unknown): Result<string> {
  if (typeof value !== "string" || value.length > 2 * ADDRESS_MAX) return invalid(field, value, ACCEPTED);
  if (/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(value)) {
    return invalid(field, value, ACCEPTED, `${field} contains a control character. Accepted: ${ACCEPTED}.`);
  }
  // Contact lists wrap what is copied from them in direction marks.
  const text = value.replace(/^[\p{Zs}\p{Cf}]+|[\p{Zs}\p{Cf}]+$/gu, "");
  const at = text.lastIndexOf("@");
  const local = text.slice(0, Math.max(0, at));
  if (at < 0 || local.length > LOCAL_PART_MAX || !LOCAL_PART.test(local))
    return invalid(field, value, ACCEPTED);
  const domain = asciiDomain(text.slice(at + 1));
  if (domain === null) return invalid(field, value, ACCEPTED);
  const address = `${local}@${domain}`;
  return address.length > ADDRESS_MAX ? invalid(field, value, ACCEPTED) : ok(address);
}

function asciiDomain(typed: string): string | null {
  const address = `http://${typed}/`;
  if (!DOMAIN_AS_TYPED.test(typed) || !URL.canParse(address)) return null;
  const labels = new URL(address).hostname.split(".");
  if (labels.length < 2 || labels.some((label) => label.length > LABEL_MAX || !DOMAIN_LABEL.test(label)))
    return null;
  // A last label of digits only is an IPv4 address, not a domain.
  return /^\d+$/.test(labels.at(-1) ?? "") ? null : labels.join(".");
}

/** The form that is unique: two addresses that differ in case only are one mailbox, and get one mail. */
export function emailIdentity(address: string): string {
  return address.toLowerCase();
}

/**
 * The mailbox behind an address, for limits only: most providers deliver what stands before a plus sign (RFC 5233), so a
 * stranger could write to one mailbox under names without end.
 */
export function mailboxOf(address: string): string {
  return emailIdentity(address).replace(/\+.*(?=@)/, "");
}

/** An address for screens and logs: its first character and the domain (`a•••@example.com`). */
export function maskEmail(address: string): string {
  const at = address.lastIndexOf("@");
  if (at < 1) return "•••";
  return `${String.fromCodePoint(address.codePointAt(0) ?? 0x2022)}•••${address.slice(at)}`;
}
