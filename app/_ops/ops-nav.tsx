"use client";

import {
  Activity,
  Brush,
  CircleQuestionMark,
  Inbox,
  type LucideIcon,
  PackageSearch,
  RotateCcw,
  ScrollText,
  Send,
  ShieldCheck,
  Skull,
} from "lucide-react";
import Link from "next/link";
import { usePathname } from "next/navigation";

const PAGES: { href: string; name: string; Icon: LucideIcon }[] = [
  { href: "/ops", name: "Overview", Icon: Activity },
  { href: "/ops/questions", name: "Questions", Icon: CircleQuestionMark },
  { href: "/ops/deliveries", name: "Deliveries", Icon: Send },
  { href: "/ops/dead-letters", name: "Dead letters", Icon: Skull },
  { href: "/ops/redrives", name: "Redrives", Icon: RotateCcw },
  { href: "/ops/imports", name: "Imports", Icon: PackageSearch },
  { href: "/ops/outbox", name: "Outbox", Icon: Inbox },
  { href: "/ops/cleanup", name: "Cleanup", Icon: Brush },
  { href: "/ops/promises", name: "Promises", Icon: ShieldCheck },
  { href: "/ops/audit", name: "Audit log", Icon: ScrollText },
];

/** The page of the console that an address belongs to; a partition is a part of the overview. */
function pageOf(path: string): string {
  const below = PAGES.filter(({ href }) => href !== "/ops" && (path === href || path.startsWith(`${href}/`)));
  return below[0]?.href ?? "/ops";
}

/** The pages of the console, the present one marked for eyes and for screen readers. */
export function OpsNav() {
  const here = pageOf(usePathname());
  return (
    <nav aria-label="Console">
      <ul className="space-y-0.5">
        {PAGES.map(({ href, name, Icon }) => (
          <li key={href}>
            <Link
              href={href}
              aria-current={here === href ? "page" : undefined}
              className={`flex min-h-11 items-center gap-3 rounded-lg px-3 text-[0.9375rem] lg:min-h-9 ${here === href ? "bg-accent-soft font-medium text-accent-ink" : "text-ink-soft hover:bg-sunken hover:text-ink"}`}
            >
              <Icon aria-hidden className="size-4 shrink-0" />
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The name of the present page, for the button that opens the pages on a narrow screen. */
export function OpsHere() {
  const here = pageOf(usePathname());
  return <>{PAGES.find(({ href }) => href === here)?.name}</>;
}
