import type { ComponentProps, ReactNode } from "react";

interface DataTableProps {
  /** What the rows are, for screen readers and as the name of the region that scrolls. */
  caption: string;
  head: ReactNode;
  children: ReactNode;
}

/** Rows and columns of facts. A narrow screen scrolls it sideways inside its own frame, by keyboard too. */
export function DataTable({ caption, head, children }: DataTableProps) {
  return (
    <section
      aria-label={caption}
      // A region that scrolls must be reachable by keyboard (WCAG 2.1.1).
      // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
      tabIndex={0}
      className="relative overflow-x-auto rounded-2xl border border-line bg-surface shadow-card"
    >
      <table className="w-full border-collapse text-left text-sm tabular-nums">
        <caption className="sr-only">{caption}</caption>
        <thead className="border-b border-line text-ink-soft">
          <tr>{head}</tr>
        </thead>
        <tbody className="divide-y divide-line">{children}</tbody>
      </table>
    </section>
  );
}

/** A column for which a narrow screen has no room: what matters of it stands in another column there, as `NARROW`. */
export const WIDE = "hidden md:table-cell";

/** What a narrow screen shows of a `WIDE` column, in a column that it has. */
export const NARROW = "md:hidden";

export function HeadCell({ className = "", ...rest }: ComponentProps<"th">) {
  return (
    <th
      scope="col"
      {...rest}
      className={`px-2.5 py-2.5 font-medium whitespace-nowrap first:pl-4 last:pr-4 sm:px-4 sm:first:pl-5 sm:last:pr-5 ${className}`}
    />
  );
}

export function Cell({ className = "", ...rest }: ComponentProps<"td">) {
  return (
    <td
      {...rest}
      className={`px-2.5 py-3 align-top first:pl-4 last:pr-4 sm:px-4 sm:first:pl-5 sm:last:pr-5 ${className}`}
    />
  );
}

/** The cell that names its row. */
export function RowHead({ className = "", ...rest }: ComponentProps<"th">) {
  return (
    <th
      scope="row"
      {...rest}
      className={`px-2.5 py-3 align-top font-normal first:pl-4 last:pr-4 sm:px-4 sm:first:pl-5 sm:last:pr-5 ${className}`}
    />
  );
}
