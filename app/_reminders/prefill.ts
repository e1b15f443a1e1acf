import { NOTE_MAX_CHARACTERS, TITLE_MAX_CHARACTERS } from "../../db/rules/api-schemas";
import { checkTimeZone, wallTimeAt } from "../../db/rules/due-time";
import type { ReminderInput } from "./reminder-form";
import { fieldsOfRepeat } from "./repeat-input";

type Query = Record<string, string | string[] | undefined>;

/** What a link may say beforehand, in the order in which it is documented. */
export const PREFILLED = ["title", "url", "note", "when", "repeat"] as const;

/** The same query on its way through signing in. */
export function prefillPath(query: Query): string {
  const kept = new URLSearchParams();
  for (const name of [...PREFILLED, "from"] as const) {
    const value = query[name];
    if (typeof value === "string" && value !== "") kept.set(name, value);
  }
  return kept.size === 0 ? "/reminders/new" : `/reminders/new?${kept}`;
}

/**
 * What a link from a product or order page says beforehand: title, link, note, and a time as an instant, as a wall time
 * or in words. Nothing is stored before somebody sends the form; what does not fit is left out, and the form checks the rest.
 */
export function prefillOf(query: Query, timeZone: string): Partial<ReminderInput> {
  const text = (name: (typeof PREFILLED)[number], most: number) => {
    const value = query[name];
    return typeof value === "string" && value.length <= most ? value : "";
  };
  const fields: Partial<ReminderInput> = {};
  const title = text("title", TITLE_MAX_CHARACTERS);
  const url = text("url", 2000);
  const note = text("note", NOTE_MAX_CHARACTERS);
  if (title !== "") fields.title = title;
  if (/^https?:\/\//i.test(url)) fields.url = url;
  if (note !== "") fields.note = note;
  const repeat = text("repeat", 200);
  if (repeat !== "") fields.repeat = fieldsOfRepeat(repeat);
  return { ...fields, ...whenOf(text("when", 100), timeZone) };
}

function whenOf(when: string, timeZone: string): Partial<ReminderInput> {
  if (when === "" || !checkTimeZone("timeZone", timeZone).ok) return {};
  const instant = /T.*(Z|[+-]\d\d:\d\d)$/.test(when) ? Date.parse(when) : Number.NaN;
  const wall = Number.isNaN(instant) ? when : wallTimeAt(instant, timeZone);
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(wall)) return { typed: when, choice: "typed" };
  return { date: wall.slice(0, 10), time: wall.slice(11, 16), choice: "custom" };
}
