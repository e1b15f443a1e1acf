import { ArrowLeft } from "lucide-react";
import Link from "next/link";
import type { ReactNode } from "react";

/** The heading of a page, with what it is about and what can be done beside it. */
export function PageHeading({
  title,
  children,
  actions,
}: {
  title: ReactNode;
  children?: ReactNode;
  actions?: ReactNode;
}) {
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-4">
      <div className="min-w-0 space-y-2">
        <h1 className="text-2xl font-semibold break-words sm:text-3xl">{title}</h1>
        {children}
      </div>
      {actions}
    </div>
  );
}

/** The way back to the page above. */
export function BackLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Link
      href={href}
      className="-ms-2 inline-flex min-h-9 items-center gap-1.5 rounded-lg px-2 text-sm font-medium text-ink-soft hover:text-ink"
    >
      <ArrowLeft aria-hidden className="size-4 rtl:-scale-x-100" />
      {children}
    </Link>
  );
}

/** A sheet of paper for one subject. */
export function Card({ children, className = "" }: { children: ReactNode; className?: string }) {
  return (
    <div className={`rounded-2xl border border-line bg-surface p-5 shadow-card sm:p-6 ${className}`}>
      {children}
    </div>
  );
}

/** Says why a place is empty and what would fill it. */
export function EmptyState({
  icon,
  title,
  children,
  action,
}: {
  icon: ReactNode;
  title: string;
  children: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="flex flex-col items-center rounded-2xl border border-dashed border-line-strong/50 px-6 py-14 text-center">
      <div className="mb-4 rounded-full bg-accent-soft p-3 text-accent-ink">{icon}</div>
      <h2 className="text-lg font-semibold">{title}</h2>
      <p className="mt-1 mb-6 max-w-sm text-ink-soft">{children}</p>
      {action}
    </div>
  );
}
