import { render } from "@react-email/render";
import { createElement } from "react";
import { ReminderEmail, type ReminderEmailProps } from "./reminder";
import { fillShell, markOf, type Shell, shellCache } from "./shell";

/** The texts of a reminder that differ from one to the next; everything else is the same for a language. */
const SLOTS = ["title", "note", "whenText", "url", "manageUrl", "stopUrl"] as const;
type Slot = (typeof SLOTS)[number];

/** The preview is cut at 200 characters, and padded up to them: its length is part of the shell. */
const WHEN_TEXT_CHARACTERS_MAX = 150;

const shells = shellCache(SLOTS);
const mark = (slot: Slot) => markOf(SLOTS, slot);

/**
 * The HTML of a reminder. Components take milliseconds to render, and a herd of reminders is due in the same second: so
 * each language and shape is rendered once, with marks in place of the texts, and texts are escaped into it as React
 * escapes them. A test holds the result to `renderReminderHtml`.
 */
export async function reminderHtml(props: ReminderEmailProps): Promise<string> {
  const { whenText } = props;
  if (whenText === "" || whenText.length > WHEN_TEXT_CHARACTERS_MAX) return renderReminderHtml(props);
  return fillShell(await shellFor(props), props);
}

/** The same, rendered by the components each time. */
export function renderReminderHtml(props: ReminderEmailProps): Promise<string> {
  return render(createElement(ReminderEmail, props));
}

function shellFor({
  language,
  words,
  note,
  url,
  stopUrl,
  whenText,
}: ReminderEmailProps): Promise<Shell<Slot>> {
  return shells(`${language} ${note === ""} ${url === null} ${stopUrl === null} ${whenText.length}`, () =>
    renderReminderHtml({
      language,
      words,
      title: mark("title"),
      note: note === "" ? "" : mark("note"),
      whenText: mark("whenText").repeat(whenText.length),
      url: url === null ? null : mark("url"),
      manageUrl: mark("manageUrl"),
      stopUrl: stopUrl === null ? null : mark("stopUrl"),
    }),
  );
}
