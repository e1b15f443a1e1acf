import { ShieldCheck } from "lucide-react";
import type { Metadata } from "next";
import { type CheckOutcome, checkInvariants } from "../../../../db/console/invariants";
import { requireReader } from "../../../_auth/operator";
import { TargetLink } from "../../../_ops/target-link";
import { count, one } from "../../../_ops/words";
import { buttonClass } from "../../../_ui/button";
import { Notice } from "../../../_ui/notice";
import { EmptyState, PageHeading } from "../../../_ui/page-parts";
import { StatusMark } from "../../../_ui/status-mark";
import { When } from "../../../_ui/when";

export const metadata: Metadata = { title: "Promises" };

const PROMISES: Record<string, string> = {
  P1: "One key",
  P2: "Isolation",
  P3: "Throttling is free",
  P4: "Redrive is the same work",
  P5: "Nothing lost",
  P6: "Nothing stale",
  P7: "Rate",
  P8: "Cleanup cannot lose work",
  P9: "At most one accepted send per key",
};

/** The promises, asked of the live database on demand: a check may read for seconds, so that no page does it unasked. */
export default async function PromisesPage({ searchParams }: PageProps<"/ops/promises">) {
  const { timeZone, nowMs } = await requireReader("/ops/promises");
  const asked = one(await searchParams, "check") === "now";
  const found = asked ? await checkInvariants() : null;
  return (
    <div className="space-y-6">
      <PageHeading
        title="Promises"
        actions={
          <form action="/ops/promises" method="get">
            <input type="hidden" name="check" value="now" />
            <button type="submit" className={buttonClass(asked ? "secondary" : "primary")}>
              {asked ? "Check again" : "Check the promises now"}
            </button>
          </form>
        }
      >
        <p className="max-w-2xl text-ink-soft">
          What the system promises, asked of the live database, read-only: the present as a whole, history for
          the last hour. The same as <code className="text-ink">npm run ops -- invariants</code>.
        </p>
      </PageHeading>
      {found === null ? (
        <EmptyState icon={<ShieldCheck aria-hidden className="size-6" />} title="Not checked yet">
          A check reads through the ledger’s indexes and takes a second or a few on a large one.
        </EmptyState>
      ) : (
        <>
          <Notice kind={found.ok ? "good" : "bad"}>
            <p>
              {found.ok
                ? "Every promise is kept"
                : `${found.checks.filter((check) => check.violations > 0).length} of ${found.checks.length} checks find a promise broken`}
              , asked at <When atMs={nowMs} timeZone={timeZone} nowMs={nowMs} seconds />.
            </p>
          </Notice>
          {Object.entries(PROMISES).map(([promise, name]) => (
            <Promised
              key={promise}
              promise={promise}
              name={name}
              checks={found.checks.filter((check) => check.promise === promise)}
            />
          ))}
        </>
      )}
    </div>
  );
}

function Promised({
  promise,
  name,
  checks,
}: {
  promise: string;
  name: string;
  checks: readonly CheckOutcome[];
}) {
  if (checks.length === 0) return null;
  return (
    <section aria-labelledby={promise} className="rounded-2xl border border-line bg-surface shadow-card">
      <h2 id={promise} className="border-b border-line px-5 py-3 font-semibold">
        <span className="text-ink-soft">{promise}</span> {name}
      </h2>
      <ul className="divide-y divide-line">
        {checks.map((check) => (
          <li key={check.name} className="space-y-2 px-5 py-3">
            <div className="flex items-center justify-between gap-x-4">
              <p>{check.name}</p>
              {check.violations > 0 ? (
                <StatusMark tone="bad">{`broken: ${count(check.violations, 1_000)}`}</StatusMark>
              ) : check.sample.length > 0 ? (
                <StatusMark tone="attention">look</StatusMark>
              ) : (
                <StatusMark tone="good">kept</StatusMark>
              )}
            </div>
            {check.sample.length > 0 && (
              <ul className="space-y-1 text-sm">
                {check.sample.map((key) => (
                  <li key={key}>
                    <TargetLink target={key} />
                  </li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
