import { MARKUP } from "./inputs";

/** What came of one input: whether it was refused, and what is wrong with the answer. */
export interface Outcome {
  refused: boolean;
  faults: string[];
}

const JSON_TYPES = /^application\/(problem\+)?json(;|$)/;

/** Looks at what a handler answered. */
export async function judgeResponse(response: Response): Promise<Outcome> {
  const faults: string[] = [];
  if (response.status >= 500) faults.push(`answered ${response.status}`);
  const text = await response.text();
  const type = response.headers.get("content-type") ?? "";
  if (JSON_TYPES.test(type)) {
    if (!isJson(text)) faults.push("said JSON and sent none");
  } else if (text.includes(MARKUP)) faults.push(`echoed markup as ${type || "nothing named"}`);
  if (response.status === 429 && !/^\d+$/.test(response.headers.get("retry-after") ?? ""))
    faults.push("answered 429 without a time");
  const location = response.headers.get("location");
  if (location !== null && !staysHere(location)) faults.push(`led to ${location}`);
  return { refused: response.status >= 400, faults };
}

/** Looks at what an action returned: a state of its form, or nothing. */
export function judgeState(state: unknown): Outcome {
  const errors = (state as { errors?: object } | undefined)?.errors;
  return { refused: errors !== undefined && Object.keys(errors).length > 0, faults: [] };
}

/** Looks at what a page or an action threw: Next's own ways of leading elsewhere are no failures. */
export function judgeThrown(error: unknown): Outcome {
  const digest = String((error as { digest?: unknown } | null)?.digest ?? "");
  if (digest.startsWith("NEXT_HTTP_ERROR_FALLBACK;404")) return { refused: true, faults: [] };
  if (digest.startsWith("NEXT_REDIRECT")) {
    const target = digest.split(";")[2] ?? "";
    const faults = staysHere(target) ? [] : [`led to ${target}`];
    return { refused: target.startsWith("/sign-in?next="), faults };
  }
  const { stack = String(error), cause } = error as Error;
  return { refused: true, faults: [`threw ${stack}${cause === undefined ? "" : `\n  because of ${cause}`}`] };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Whether an address stays in this app, as a browser reads it, and cannot carry a header of its own. */
function staysHere(location: string): boolean {
  const here = "http://127.0.0.1:3000";
  if (/[\r\n\0]/.test(location) || !URL.canParse(location, here)) return false;
  return new URL(location, here).origin === here;
}
