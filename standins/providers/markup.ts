/** Text that is HTML already. Everything else that enters a page is escaped on its way in. */
export class Markup {
  readonly html: string;
  constructor(html: string) {
    this.html = html;
  }
}

type Part = Markup | Part[] | string | number | null | undefined | false;

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Builds HTML from a template; every value in it is escaped unless it is {@link Markup}. */
export function markup(strings: TemplateStringsArray, ...values: Part[]): Markup {
  const parts = strings.map((text, index) => text + (index < values.length ? render(values[index]) : ""));
  return new Markup(parts.join(""));
}

function render(value: Part): string {
  if (value instanceof Markup) return value.html;
  if (Array.isArray(value)) return value.map(render).join("");
  if (value === null || value === undefined || value === false) return "";
  return String(value).replace(/[&<>"']/g, (character) => ENTITIES[character] as string);
}

/** Plain text with its web addresses made into links that open elsewhere. */
export function withLinks(text: string): Markup {
  const pieces = text.split(/(https?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)\]])/);
  const linked = pieces.map((piece, index) =>
    index % 2 === 1
      ? markup`<a href="${piece}" target="_blank" rel="noreferrer">${piece}</a>`
      : markup`${piece}`,
  );
  return markup`${linked}`;
}
