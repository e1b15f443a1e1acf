import type { ReactNode } from "react";

/** Named facts, each with its value; what is null is not there. */
export function Facts({ children }: { children: ReactNode }) {
  return (
    <dl className="grid gap-x-6 gap-y-4 text-[0.9375rem] sm:grid-cols-2 lg:grid-cols-3 2xl:grid-cols-5">
      {children}
    </dl>
  );
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-sm text-ink-soft">{name}</dt>
      <dd className="mt-0.5 break-words tabular-nums">{children}</dd>
    </div>
  );
}

/** A name that machines gave: it breaks anywhere, so that it fits a narrow screen. */
export function Code({ children }: { children: ReactNode }) {
  return <code className="font-mono text-[0.875em] break-all">{children}</code>;
}
