import { render } from "@react-email/render";
import { createElement } from "react";
import { ReminderEmail, type ReminderEmailProps } from "./reminder";

/** The texts of a reminder that differ from one to the next; everything else is the same for a language. */
const SLOTS = ["title", "note", "whenText", "url", "manageUrl", "stopUrl"] as const;
type Slot = (typeof SLOTS)[number];

/** A rendered reminder with places for its texts: literal, place, literal, place, …, literal. */
interface Shell {
  literals: string[];
  places: Slot[];
}

/** One private-use character per place: nothing that a component writes by itself holds one. */
const MARKS: Record<Slot, string> = {
  title: "\u{e001}",
  note: "\u{e002}",
  whenText: "\u{e003}",
  url: "\u{e004}",
  manageUrl: "\u{e005}",
  stopUrl: "\u{e006}",
};

/** The preview is cut at 200 characters, and padded up to them: its length is part of the shell. */
const WHEN_TEXT_CHARACTERS_MAX = 150;

/** Three languages, four shapes and a few dozen lengths of a time in words. */
const SHELLS_MAX = 1_000;

const shells = new Map<string, Promise<Shell>>();

/**
 * The HTML of a reminder. Components take milliseconds to render, and a herd of reminders is due in the same second: so
 * each language and shape is rendered once, with marks in place of the texts, and texts are escaped into it as React
 * escapes them. A test holds the result to `renderReminderHtml`.
 */
export async function reminderHtml(props: ReminderEmailProps): Promise<string> {
  const { whenText } = props;
  if (whenText === "" || whenText.length > WHEN_TEXT_CHARACTERS_MAX) return renderReminderHtml(props);
  const { literals, places } = await shellFor(props);
  let html = literals[0] ?? "";
  places.forEach((place, index) => {
    html += escapeText(props[place] ?? "") + (literals[index + 1] ?? "");
  });
  return html;
}

/** The same, rendered by the components each time. */
export function renderReminderHtml(props: ReminderEmailProps): Promise<string> {
  return render(createElement(ReminderEmail, props));
}

function shellFor({ language, words, note, url, stopUrl, whenText }: ReminderEmailProps): Promise<Shell> {
  const key = `${language} ${note === ""} ${url === null} ${stopUrl === null} ${whenText.length}`;
  const known = shells.get(key);
  if (known !== undefined) return known;
  if (shells.size >= SHELLS_MAX) shells.clear();
  const made = renderReminderHtml({
    language,
    words,
    title: MARKS.title,
    note: note === "" ? "" : MARKS.note,
    whenText: MARKS.whenText.repeat(whenText.length),
    url: url === null ? null : MARKS.url,
    manageUrl: MARKS.manageUrl,
    stopUrl: stopUrl === null ? null : MARKS.stopUrl,
  }).then(toShell);
  // A failure is not kept: the next reminder tries again.
  made.catch(() => shells.delete(key));
  shells.set(key, made);
  return made;
}

function toShell(html: string): Shell {
  const shell: Shell = { literals: [], places: [] };
  let from = 0;
  for (const found of html.matchAll(/[\u{e001}\u{e002}\u{e004}-\u{e006}]|\u{e003}+/gu)) {
    shell.literals.push(html.slice(from, found.index));
    shell.places.push(SLOTS.find((slot) => found[0].startsWith(MARKS[slot])) as Slot);
    from = found.index + found[0].length;
  }
  shell.literals.push(html.slice(from));
  return shell;
}

const ESCAPES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#x27;",
};

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}
