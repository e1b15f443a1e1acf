import type { ComponentProps, ReactNode } from "react";

export const INPUT =
  "block min-h-12 w-full rounded-lg border border-line-strong bg-surface px-3 py-2 text-base text-ink placeholder:text-ink-soft/80 focus:outline-2 focus:outline-offset-0 focus:outline-accent aria-invalid:border-bad aria-invalid:outline-bad";

interface FieldProps {
  id: string;
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
  /** The word that says that it may be left empty, where it may. */
  optional?: string;
  /** Gets the attributes that tie the input to its words. */
  children: (attributes: FieldAttributes) => ReactNode;
}

export interface FieldAttributes {
  id: string;
  "aria-invalid"?: true;
  "aria-describedby"?: string;
}

/** A label, an input, what it takes and what was wrong with it, tied together for everybody. */
export function Field({ id, label, hint, error, optional, children }: FieldProps) {
  const describedBy = [hint === undefined ? "" : `${id}-hint`, error === undefined ? "" : `${id}-error`];
  const attributes: FieldAttributes = { id };
  if (error !== undefined) attributes["aria-invalid"] = true;
  if (describedBy.some(Boolean)) attributes["aria-describedby"] = describedBy.filter(Boolean).join(" ");
  return (
    <div>
      <label htmlFor={id} className="mb-1.5 block font-medium">
        {label} {optional !== undefined && <span className="font-normal text-ink-soft">{optional}</span>}
      </label>
      {hint !== undefined && (
        <p id={`${id}-hint`} className="-mt-1 mb-2 text-sm text-ink-soft">
          {hint}
        </p>
      )}
      {children(attributes)}
      <FieldError id={`${id}-error`} error={error} />
    </div>
  );
}

/** The slot stays in the page, so that a message that appears in it is read out. */
export function FieldError({ id, error }: { id: string; error?: string | undefined }) {
  return (
    <p id={id} aria-live="polite" className="mt-1.5 text-sm font-medium text-bad empty:mt-0">
      {error}
    </p>
  );
}

export function Input({ className = "", ...rest }: ComponentProps<"input">) {
  return <input {...rest} className={`${INPUT} ${className}`} />;
}

export function TextArea({ className = "", ...rest }: ComponentProps<"textarea">) {
  return <textarea {...rest} className={`${INPUT} ${className}`} />;
}

export function Select({ className = "", ...rest }: ComponentProps<"select">) {
  return <select {...rest} className={`${INPUT} ${className}`} />;
}
