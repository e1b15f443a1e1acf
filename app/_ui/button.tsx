import Link from "next/link";
import type { ComponentProps } from "react";

export type ButtonKind = "primary" | "secondary" | "plain" | "danger";

const KINDS: Record<ButtonKind, string> = {
  primary: "bg-accent text-on-accent hover:bg-accent-hover",
  secondary: "border border-line-strong/60 bg-surface text-ink hover:bg-sunken",
  plain: "text-ink hover:bg-sunken",
  danger: "border border-bad/50 bg-surface text-bad hover:bg-bad-soft",
};

/** At least 44 px high on touch screens, 40 px elsewhere. */
export function buttonClass(kind: ButtonKind = "primary", extra = ""): string {
  return `inline-flex min-h-11 items-center justify-center gap-2 rounded-lg px-4 py-2 text-[0.9375rem] font-medium motion-safe:transition-colors sm:min-h-10 disabled:cursor-not-allowed disabled:opacity-60 ${KINDS[kind]} ${extra}`;
}

/** A button that does something here. */
export function Button({ kind, className = "", ...rest }: ComponentProps<"button"> & { kind?: ButtonKind }) {
  return <button type="button" {...rest} className={buttonClass(kind, className)} />;
}

/** A link that looks like a button, because it leads to the next step. */
export function ButtonLink({
  kind,
  className = "",
  ...rest
}: ComponentProps<typeof Link> & { kind?: ButtonKind }) {
  return <Link {...rest} className={buttonClass(kind, className)} />;
}

/** A link in running text. */
export function TextLink({ className = "", ...rest }: ComponentProps<typeof Link>) {
  return (
    <Link
      {...rest}
      className={`font-medium text-accent-ink underline decoration-accent-ink/40 underline-offset-2 hover:decoration-accent-ink ${className}`}
    />
  );
}
