import type { Answer } from "./answer";
import { resendError } from "./resend-errors";

/** A validated send request. Lists hold addresses as the sender wrote them. */
export type ResendEmail = {
  from: string;
  to: string[];
  cc: string[];
  bcc: string[];
  replyTo: string[];
  subject: string;
  html: string | null;
  text: string | null;
  headers: Record<string, string>;
  tags: { name: string; value: string }[];
};

/** Recipients one email may have, and characters a tag may have (Resend's API reference). */
const MOST_RECIPIENTS = 50;
const TAG_TEXT = /^[A-Za-z0-9_-]{1,256}$/;
/** Domains Resend refuses because nobody reads mail there. */
const PLACEHOLDER_DOMAINS = ["example.com", "test.com"];
/** Domains no sender of ours can have verified; a domain that begins with `unverified.` counts as well. */
const FOREIGN_DOMAINS = ["gmail.com", "yahoo.com", "outlook.com", "hotmail.com", "icloud.com"];

/** The bare address in `a@b.c` or `Name <a@b.c>`; null when there is none. */
export function bareAddress(text: string): string | null {
  const bracketed = /^[^\r\n<>]*<([^<>]+)>\s*$/.exec(text);
  const address = (bracketed?.[1] ?? text).trim();
  return /^[^\s@<>,;]+@[^\s@<>,;.]+(\.[^\s@<>,;.]+)+$/.test(address) ? address : null;
}

/** Checks a send request as Resend does, in its order: fields, forms, content, then whether the domain is ours. */
export function readEmail(body: unknown): { email: ResendEmail } | { refusal: Answer } {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    return refuse("validation_error", "The request body must be a JSON object.", 422);
  }
  const fields = body as Record<string, unknown>;
  const to = list(fields.to);
  const missing = firstMissing(fields, to);
  if (missing) return refuse("missing_required_field", `Missing ${missing} field.`);
  const email: ResendEmail = {
    from: String(fields.from),
    to,
    cc: list(fields.cc),
    bcc: list(fields.bcc),
    replyTo: list(fields.reply_to),
    subject: String(fields.subject),
    html: typeof fields.html === "string" ? fields.html : null,
    text: typeof fields.text === "string" ? fields.text : null,
    headers: record(fields.headers),
    tags: Array.isArray(fields.tags) ? (fields.tags as ResendEmail["tags"]) : [],
  };
  const refusal = refuseAddresses(email) ?? refuseContent(email) ?? refuseDomain(email);
  return refusal ?? { email };
}

/** Resend's preview of a text part when only HTML was given: the tags are gone, links stay readable. */
export function textOfHtml(html: string): string {
  const withLinks = html.replace(/<a\b[^>]*href="([^"]*)"[^>]*>([\s\S]*?)<\/a>/gi, "$2 ($1)");
  const text = withLinks.replace(/<(style|script|head)\b[\s\S]*?<\/\1>/gi, "").replace(/<[^>]+>/g, " ");
  const named: Record<string, string> = {
    amp: "&",
    lt: "<",
    gt: ">",
    quot: '"',
    nbsp: " ",
    "#39": "'",
    "#x27": "'",
  };
  return text
    .replace(/&(\w+|#\w+);/g, (whole, name: string) => named[name] ?? whole)
    .replace(/\s+/g, " ")
    .trim();
}

function firstMissing(fields: Record<string, unknown>, to: string[]): string | null {
  if (typeof fields.from !== "string" || fields.from === "") return "`from`";
  if (to.length === 0) return "`to`";
  if (typeof fields.subject !== "string" || fields.subject === "") return "`subject`";
  const hasBody = [fields.html, fields.text].some((part) => typeof part === "string" && part !== "");
  return hasBody || fields.template ? null : "`html` or `text`";
}

function refuseAddresses(email: ResendEmail): { refusal: Answer } | null {
  if (bareAddress(email.from) === null) return refuse("invalid_from_address");
  const parts = { to: email.to, cc: email.cc, bcc: email.bcc, reply_to: email.replyTo };
  for (const [field, addresses] of Object.entries(parts)) {
    for (const address of addresses) {
      const bare = bareAddress(address);
      if (bare === null) {
        const form =
          "The email address needs to follow the `email@example.com` or `Name <email@example.com>` format.";
        return refuse("validation_error", `Invalid \`${field}\` field. ${form}`, 422);
      }
      if (field !== "reply_to" && PLACEHOLDER_DOMAINS.includes(domainOf(bare))) {
        const way = "Please use our testing email address instead of domains like `example.com`.";
        return refuse("validation_error", `Invalid \`${field}\` field. ${way}`, 422);
      }
    }
  }
  if (email.to.length > MOST_RECIPIENTS) {
    return refuse("validation_error", `The \`to\` field must have at most ${MOST_RECIPIENTS} items.`, 422);
  }
  return null;
}

function refuseContent(email: ResendEmail): { refusal: Answer } | null {
  if (/[\r\n]/.test(email.subject)) {
    return refuse("validation_error", "The `\\n` is not allowed in the `subject` field.", 422);
  }
  for (const [name, value] of Object.entries(email.headers)) {
    if (!/^[!-9;-~]+$/.test(name) || /[\r\n\0]/.test(value)) {
      return refuse(
        "validation_error",
        "Invalid `headers` field: a name or value has a character not allowed.",
        422,
      );
    }
  }
  for (const tag of email.tags) {
    if (!TAG_TEXT.test(tag?.name) || !TAG_TEXT.test(tag?.value)) {
      const form = "Tags should only contain ASCII letters, numbers, underscores, or dashes.";
      return refuse("validation_error", form, 422);
    }
  }
  return null;
}

function refuseDomain(email: ResendEmail): { refusal: Answer } | null {
  const domain = domainOf(bareAddress(email.from) ?? "");
  if (!FOREIGN_DOMAINS.includes(domain) && !domain.startsWith("unverified.")) return null;
  const way = "Please, add and verify your domain on https://resend.com/domains";
  return refuse("validation_error", `The ${domain} domain is not verified. ${way}`, 403);
}

function refuse(name: string, message?: string, status?: number): { refusal: Answer } {
  return { refusal: resendError(name, { message, status }) };
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1).toLowerCase();
}

function list(value: unknown): string[] {
  const values = Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
  return values.map((entry) => String(entry)).filter((entry) => entry !== "");
}

function record(value: unknown): Record<string, string> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, String(entry)]));
}
