"use client";

import { RotateCw } from "lucide-react";
import { useEffect, useEffectEvent } from "react";
import { Button, ButtonLink } from "../_ui/button";

/** Often enough that nobody reaches for the button, seldom enough to be no load on a ledger that struggles. */
const ASK_EVERY_MS = 5_000;

/**
 * In place of what the console could not read. Asks for the ledger's health until it answers, and then reads again by
 * itself; without script the page's address is asked for again.
 */
export function Unreadable({ reference, retry }: { reference: string | null; retry: () => void }) {
  const again = useEffectEvent(retry);
  useEffect(() => {
    let gone = false;
    const ask = async () => {
      const well = await fetch("/api/health", { cache: "no-store" }).then(
        (answer) => answer.ok,
        () => false,
      );
      if (well && !gone) again();
    };
    const timer = setInterval(ask, ASK_EVERY_MS);
    return () => {
      gone = true;
      clearInterval(timer);
    };
  }, []);
  return (
    <div role="alert" className="flex max-w-xl flex-col items-start gap-4 py-10">
      <title>Could not be read · Console · Punctual</title>
      <h1 className="text-2xl font-semibold">This page could not be read</h1>
      <p className="text-ink-soft">
        The console could not ask the ledger; it tries again by itself. Deliveries do not need this page.
        While the database is away they wait in it, and go on when it is back. If it stays so, look at{" "}
        <code className="text-ink">/api/health</code> and at the database; when that is well, the same levers
        are in <code className="text-ink whitespace-nowrap">npm run ops</code>.
      </p>
      <div className="flex flex-wrap gap-3">
        <form>
          <Button type="submit" onClick={(event) => pressed(event, retry)}>
            <RotateCw aria-hidden className="size-4" />
            Try again
          </Button>
        </form>
        <ButtonLink href="/ops" kind="secondary">
          Go to the overview
        </ButtonLink>
      </div>
      {reference !== null && <p className="text-sm text-ink-soft">Reference in the log: {reference}</p>}
    </div>
  );
}

/** With script the page is read again where it stands. */
function pressed(event: { preventDefault(): void }, retry: () => void): void {
  event.preventDefault();
  retry();
}
