"use client";

import Link from "next/link";
import { usePathname } from "next/navigation";

const PAGES = [
  { href: "/reminders", name: "Reminders", below: true },
  { href: "/settings/channels", name: "Channels", below: true },
  { href: "/settings", name: "Settings", below: false },
];

/** The pages of the app, the present one marked for eyes and for screen readers. */
export function MainNav() {
  const path = usePathname();
  return (
    <nav aria-label="Main">
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
                {name}
              </Link>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}
