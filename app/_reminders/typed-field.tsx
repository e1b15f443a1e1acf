"use client";

import { useEffect, useRef } from "react";
import { useWords } from "../_language/give-words";
import { Input } from "../_ui/field";

export interface TypedEcho {
  ok: boolean;
  words: string;
}

interface TypedFieldProps {
  value: string;
  echo: TypedEcho | null;
  onType: (text: string) => void;
}

/** A time in words. What it comes to is said below while one types; the parser is fetched when the field is entered. */
export function TypedField({ value, echo, onType }: TypedFieldProps) {
  const { when } = useWords("when").words;
  const fetched = useRef(false);
  const said = useRef<HTMLParagraphElement>(null);
  const words = echo?.words ?? "";
  // On a phone the bar with the button covers what stands below the field.
  useEffect(() => {
    if (words !== "" && document.activeElement?.id === "typed") {
      said.current?.scrollIntoView({ block: "nearest" });
    }
  }, [words]);
  const fetchParser = () => {
    if (fetched.current) return;
    fetched.current = true;
    void import("../../db/rules/typed-when").catch(() => {
      fetched.current = false;
    });
  };
  return (
    <div>
      <label htmlFor="typed" className="sr-only">
        {when.typedLabel}
      </label>
      <Input
        id="typed"
        name="typed"
        value={value}
        onFocus={fetchParser}
        onChange={(event) => onType(event.target.value)}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={100}
        placeholder={when.typedExample}
        dir="auto"
        aria-describedby="typed-echo"
        aria-invalid={echo?.ok === false ? true : undefined}
      />
      <p
        id="typed-echo"
        ref={said}
        aria-live="polite"
        className={`mt-1.5 text-sm empty:mt-0 ${echo?.ok === false ? "text-ink-soft" : "font-medium text-good"}`}
      >
        {words}
      </p>
    </div>
  );
}
