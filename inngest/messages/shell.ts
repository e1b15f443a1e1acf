/** A rendered message with places for its texts: literal, place, literal, place, …, literal. */
export interface Shell<Slot extends string> {
  literals: string[];
  places: Slot[];
}

/** Private-use characters from here on mark the places: nothing that a component writes by itself holds one. */
const FIRST_MARK = 0xe001;

/** A few languages, shapes and lengths; more is a mistake, and memory is not its place. */
const SHELLS_MAX = 1_000;

/** The character that stands for a slot's text while a shell is rendered; repeated, it stands for one place. */
export function markOf<Slot extends string>(slots: readonly Slot[], slot: Slot): string {
  return String.fromCodePoint(FIRST_MARK + slots.indexOf(slot));
}

/** Cuts rendered HTML at the marks of its slots. */
function toShell<Slot extends string>(html: string, slots: readonly Slot[]): Shell<Slot> {
  const shell: Shell<Slot> = { literals: [], places: [] };
  const marks = new RegExp(slots.map((slot) => `${markOf(slots, slot)}+`).join("|"), "gu");
  let from = 0;
  for (const found of html.matchAll(marks)) {
    shell.literals.push(html.slice(from, found.index));
    shell.places.push(slots.find((slot) => found[0].startsWith(markOf(slots, slot))) as Slot);
    from = found.index + found[0].length;
  }
  shell.literals.push(html.slice(from));
  return shell;
}

/** Puts texts into a shell, escaped as React escapes them. */
export function fillShell<Slot extends string>(
  shell: Shell<Slot>,
  texts: Record<Slot, string | null>,
): string {
  let html = shell.literals[0] ?? "";
  shell.places.forEach((place, index) => {
    html += escapeText(texts[place] ?? "") + (shell.literals[index + 1] ?? "");
  });
  return html;
}

/** Keeps shells by their shape: each is rendered once, by the components, with marks in place of the texts. */
export function shellCache<Slot extends string>(
  slots: readonly Slot[],
): (shape: string, render: () => Promise<string>) => Promise<Shell<Slot>> {
  const shells = new Map<string, Promise<Shell<Slot>>>();
  return (shape, render) => {
    const known = shells.get(shape);
    if (known !== undefined) return known;
    if (shells.size >= SHELLS_MAX) shells.clear();
    const made = render().then((html) => toShell(html, slots));
    // A failure is not kept: the next message tries again.
    made.catch(() => shells.delete(shape));
    shells.set(shape, made);
    return made;
  };
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
