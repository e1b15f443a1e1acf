"use client";

import { LoaderCircle } from "lucide-react";
import type { ComponentProps, ReactNode } from "react";
import { useFormStatus } from "react-dom";
import { useWords } from "../_language/give-words";
import { type ButtonKind, buttonClass } from "./button";

interface SubmitButtonProps extends ComponentProps<"button"> {
  kind?: ButtonKind;
  /** Shown in front of the words, and replaced by a turning ring while the form is on its way. */
  icon?: ReactNode;
  /** For forms that are submitted by hand, whose state `useFormStatus` does not see. */
  busy?: boolean;
}

/** The button that sends a form: enabled until then, and once only. */
export function SubmitButton({ kind, icon, busy, children, className = "", ...rest }: SubmitButtonProps) {
  const { inProgress } = useWords("frame").words.frame;
  const status = useFormStatus();
  const pending = busy ?? status.pending;
  return (
    <button {...rest} type="submit" disabled={pending} className={buttonClass(kind, className)}>
      {pending ? <LoaderCircle aria-hidden className="size-4 motion-safe:animate-spin" /> : icon}
      {children}
      {pending && <span className="sr-only">{inProgress}</span>}
    </button>
  );
}
