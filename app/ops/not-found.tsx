import type { Metadata } from "next";
import { ButtonLink } from "../_ui/button";

export const metadata: Metadata = { title: "Not found" };

/** A partition, delivery or redrive that is not in the ledger. */
export default function NotFoundInConsole() {
  return (
    <div className="flex max-w-xl flex-col items-start gap-5 py-10">
      <h1 className="text-2xl font-semibold">The ledger has no such thing</h1>
      <p className="text-ink-soft">
        The address may be mistyped, or the row is past its retention and was removed by cleanup. Its counts
        are still in the cleanup runs.
      </p>
      <div className="flex flex-wrap gap-3">
        <ButtonLink href="/ops">Go to the overview</ButtonLink>
        <ButtonLink href="/ops/cleanup" kind="secondary">
          Cleanup runs
        </ButtonLink>
      </div>
    </div>
  );
}
