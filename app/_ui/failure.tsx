"use client";

import { RotateCw } from "lucide-react";
import { fill, type Words } from "../../db/rules/speech";
import { Button, ButtonLink } from "./button";

/** The reference under which the server's log has a failure; an error of the browser has none. */
export function referenceOf(error: unknown): string | null {
  const digest = error instanceof Error ? (error as Error & { digest?: unknown }).digest : undefined;
  return typeof digest === "string" ? digest : null;
}

interface FailureProps {
  error: unknown;
  retry: () => void;
  words: Words["failure"];
}

/** Something failed that should not have: what that means for the reader, and the ways on. */
export function Failure({ error, retry, words }: FailureProps) {
  const reference = referenceOf(error);
  return (
    <div role="alert" className="mx-auto flex max-w-md flex-col items-start gap-4 py-16">
      <h1 className="text-2xl font-semibold">{words.heading}</h1>
      <p className="text-ink-soft">{words.text}</p>
      <div className="flex flex-wrap gap-3">
        <Button onClick={() => retry()}>
          <RotateCw aria-hidden className="size-4" />
          {words.again}
        </Button>
        <ButtonLink href="/reminders" kind="secondary">
          {words.reminders}
        </ButtonLink>
      </div>
      {reference !== null && <p className="text-sm text-ink-soft">{fill(words.reference, { reference })}</p>}
    </div>
  );
}
