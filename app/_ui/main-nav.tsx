"use client";

import Link from "next/link";
import { usePathname } from "next/navigation";
import { useWords } from "../_language/give-words";

const PAGES = [
  { href: "/reminders", name: "reminders" },
  { href: "/settings/channels", name: "channels" },
  { href: "/settings", name: "settings" },
] as const;

/** The entry that a path belongs to: a page of its own before the one that it lies under. */
function entryOf(path: string): string | undefined {
  const above = PAGES.filter(({ href }) => path === href || path.startsWith(`${href}/`));
  return above.sort((one, other) => other.href.length - one.href.length)[0]?.href;
}

/** The pages of the app, the present one marked for eyes and for screen readers. */
export function MainNav() {
  const { frame } = useWords("frame").words;
  const present = entryOf(usePathname());
  return (
    <nav aria-label={frame.main}>
      <ul className="flex gap-1">
        {PAGES.map(({ href, name }) => {
          const here = href === present;
          return (
            <li key={href}>
              <Link
                href={href}
                aria-current={here ? "page" : undefined}
                className={`inline-flex min-h-11 items-center border-b-2 px-2 text-[0.9375rem] sm:min-h-14 ${here ? "border-accent font-medium text-ink" : "border-transparent text-ink-soft hover:text-ink"}`}
              >
                {frame[name]}
              </Link>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}
