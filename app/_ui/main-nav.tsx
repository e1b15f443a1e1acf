"use client";

import Link from "next/link";
import { usePathname } from "next/navigation";
import { useWords } from "../_language/give-words";

const PAGES = [
  { href: "/reminders", name: "reminders", below: true },
  { href: "/settings/channels", name: "channels", below: true },
  { href: "/settings", name: "settings", below: false },
] as const;

/** The pages of the app, the present one marked for eyes and for screen readers. */
export function MainNav() {
  const { frame } = useWords("frame").words;
  const path = usePathname();
  return (
    <nav aria-label={frame.main}>
      <ul className="flex gap-1">
        {PAGES.map(({ href, name, below }) => {
          const here = path === href || (below && path.startsWith(`${href}/`));
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
