import { type Answer, empty, html, json, type ProviderName } from "./answer";
import { RESEND_ERRORS } from "./resend-errors";
import { LATE_CODES, TWILIO_ERRORS } from "./twilio-errors";

/** A wire-level fault, with no provider's answer in it. */
const BREAKS = ["hang", "reset", "close", "truncate", "refuse"] as const;
/** Refusals that each provider words in its own way. They are made before anything is accepted, whatever `faultWhen` says. */
const REFUSALS = ["throttle", "quota", "unauthorized", "forbidden"] as const;

export type Refusal =
  | { kind: "throttle" | "quota" | "unauthorized" | "forbidden" | "gone" }
  | { kind: "error"; code: string };

/** What a fault's name means. */
export type Fault =
  | { kind: "break"; how: (typeof BREAKS)[number] }
  | { kind: "page"; format: "html" | "json" | "null" | "empty"; status: number }
  | { kind: "refusal"; refusal: Refusal }
  /** Twilio: accepted now, failed later by a status callback with this code. */
  | { kind: "late"; code: number }
  /** WNS: 2xx with `X-WNS-Status: dropped`. */
  | { kind: "dropped" };

/** Reads a fault's name; null when this provider has no such fault. */
export function parseFault(provider: ProviderName, name: string): Fault | null {
  const broken = BREAKS.find((candidate) => candidate === name);
  if (broken) return { kind: "break", how: broken };
  const refusal = REFUSALS.find((candidate) => candidate === name);
  if (refusal) return { kind: "refusal", refusal: { kind: refusal } };
  const page = /^(html|json|null|empty)-([2-5]\d\d)$/.exec(name);
  if (page) return { kind: "page", format: page[1] as "html", status: Number(page[2]) };
  const coded = /^(error|callback):(\w+)$/.exec(name);
  if (coded) return parseCoded(provider, coded[1] as string, coded[2] as string);
  if (provider === "push" && name === "gone") return { kind: "refusal", refusal: { kind: "gone" } };
  if (provider === "push" && name === "dropped") return { kind: "dropped" };
  return null;
}

function parseCoded(provider: ProviderName, kind: string, code: string): Fault | null {
  if (kind === "callback") {
    return provider === "twilio" && LATE_CODES.has(Number(code))
      ? { kind: "late", code: Number(code) }
      : null;
  }
  const known = {
    resend: () => RESEND_ERRORS.has(code),
    twilio: () => TWILIO_ERRORS.has(Number(code)),
    push: () => /^[45]\d\d$/.test(code),
  }[provider]();
  return known ? { kind: "refusal", refusal: { kind: "error", code } } : null;
}

/** Fault names a person may pick from, per provider; the forms with a number or code accept more. */
export function suggestedFaults(provider: ProviderName): string[] {
  const pages = ["html-502", "html-200", "json-500", "json-429", "null-500", "empty-202", "empty-204"];
  const own = {
    resend: [...RESEND_ERRORS.keys()].map((name) => `error:${name}`),
    twilio: [
      ...[...TWILIO_ERRORS.keys()].map((code) => `error:${code}`),
      ...[...LATE_CODES.keys()].map((code) => `callback:${code}`),
    ],
    push: ["gone", "dropped", "error:400", "error:404", "error:413", "error:503"],
  }[provider];
  return [...BREAKS, ...REFUSALS, ...pages, ...own];
}

/** Says which fault names a provider accepts. */
export function describeFaults(provider: ProviderName): string {
  const patterns = "html-<status>, json-<status>, null-<status>, empty-<status>";
  const own = {
    resend: `error:<name> (${[...RESEND_ERRORS.keys()].join(", ")})`,
    twilio: `error:<code> (${[...TWILIO_ERRORS.keys()].join(", ")}), callback:<code> (${[...LATE_CODES.keys()].join(", ")})`,
    push: "gone, dropped, error:<status>",
  }[provider];
  return `null, ${[...BREAKS, ...REFUSALS].join(", ")}, ${patterns}, ${own}`;
}

/** The answer of something that is not the provider: a proxy's page, a foreign JSON shape, JSON `null`, or nothing. */
export function strangeAnswer(fault: Extract<Fault, { kind: "page" }>): Answer {
  switch (fault.format) {
    case "html": {
      const title = fault.status < 300 ? "Sign in to continue" : `${fault.status} Bad Gateway`;
      const page = `<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`;
      return html(fault.status, page);
    }
    case "json":
      return json(fault.status, {
        ok: false,
        error: fault.status === 429 ? "rate_limited" : "upstream_failure",
      });
    case "null":
      return json(fault.status, null);
    case "empty":
      return empty(fault.status);
  }
}
