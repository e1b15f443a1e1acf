"use client";

import { RotateCw } from "lucide-react";
import { Button, ButtonLink } from "../_ui/button";
import { referenceOf } from "../_ui/failure";

/** What is shown in place of a page of the console that failed; the frame around it stays. */
export default function OpsError({ error, retry }: { error: unknown; retry: () => void }) {
  const reference = referenceOf(error);
  return (
    <div role="alert" className="flex max-w-xl flex-col items-start gap-4 py-10">
      <title>Something went wrong · Console · Punctual</title>
      <h1 className="text-2xl font-semibold">This page could not be read</h1>
      <p className="text-ink-soft">
        The console could not ask the ledger. What is under way is not touched by that: deliveries move
        without this page. If it stays so, look at <code className="text-ink">/api/health</code> and at the
        database; the same levers are in <code className="text-ink">npm run ops</code>.
      </p>
      <div className="flex flex-wrap gap-3">
        <Button onClick={() => retry()}>
          <RotateCw aria-hidden className="size-4" />
          Try again
        </Button>
        <ButtonLink href="/ops" kind="secondary">
          Go to the overview
        </ButtonLink>
      </div>
      {reference !== null && <p className="text-sm text-ink-soft">Reference in the log: {reference}</p>}
    </div>
  );
}
