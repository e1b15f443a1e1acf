"use client";

import { RotateCw } from "lucide-react";
import { Button, ButtonLink } from "./button";

/** The reference under which the server's log has a failure; an error of the browser has none. */
export function referenceOf(error: unknown): string | null {
  const digest = error instanceof Error ? (error as Error & { digest?: unknown }).digest : undefined;
  return typeof digest === "string" ? digest : null;
}

/** Something failed that should not have: what that means for the reader, and the ways on. */
export function Failure({ error, retry }: { error: unknown; retry: () => void }) {
  const reference = referenceOf(error);
  return (
    <div role="alert" className="mx-auto flex max-w-md flex-col items-start gap-4 py-16">
      <h1 className="text-2xl font-semibold">This page could not be shown</h1>
      <p className="text-ink-soft">
        Something went wrong on our side. Reminders that you have set are stored and go out as planned,
        whatever this page does.
      </p>
      <div className="flex flex-wrap gap-3">
        <Button onClick={() => retry()}>
          <RotateCw aria-hidden className="size-4" />
          Try again
        </Button>
        <ButtonLink href="/reminders" kind="secondary">
          Go to your reminders
        </ButtonLink>
      </div>
      {reference !== null && <p className="text-sm text-ink-soft">Reference for support: {reference}</p>}
    </div>
  );
}
