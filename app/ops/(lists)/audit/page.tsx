import { ScrollText, SearchX } from "lucide-react";
import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { listActions } from "../../../../db/console/actions";
import { requireReader } from "../../../_auth/operator";
import { ActionTable } from "../../../_ops/action-table";
import { Pager } from "../../../_ops/pager";
import { TargetLink } from "../../../_ops/target-link";
import { address, one } from "../../../_ops/words";
import { ButtonLink, TextLink } from "../../../_ui/button";
import { EmptyState, PageHeading } from "../../../_ui/page-parts";

export const metadata: Metadata = { title: "Audit log" };

/** One screen of actions. */
const PAGE_SIZE = 50;

/** Every action of every operator, whether on these pages or by the command line, with its reason. */
export default async function AuditPage({ searchParams }: PageProps<"/ops/audit">) {
  const query = await searchParams;
  const target = one(query, "target");
  const after = one(query, "after");
  const here = (place?: string) => address("/ops/audit", { target, after: place });
  const { timeZone, nowMs } = await requireReader(here());
  const page = await listActions(
    { ...(target === undefined ? {} : { target }) },
    { limit: PAGE_SIZE, ...(after === undefined ? {} : { after }) },
  );
  // A place that is not one of ours: the log begins at its beginning.
  if (!page.ok) redirect(here());
  const { actions, next } = page.value;
  return (
    <div className="space-y-6">
      <PageHeading title="Audit log">
        <p className="max-w-2xl text-ink-soft">
          What operators did, here and by the command line: written in the action’s own transaction, never
          changed, never removed.
        </p>
      </PageHeading>
      {target !== undefined && (
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span>
            Only what was done to <TargetLink target={target} />.
          </span>
          <TextLink href="/ops/audit">Show everything</TextLink>
        </p>
      )}
      {actions.length > 0 ? (
        <ActionTable actions={actions} timeZone={timeZone} nowMs={nowMs} />
      ) : target === undefined ? (
        <EmptyState icon={<ScrollText aria-hidden className="size-6" />} title="Nothing was done yet">
          The first pause, limit or redrive will stand here with who did it and why.
        </EmptyState>
      ) : (
        <EmptyState
          icon={<SearchX aria-hidden className="size-6" />}
          title="Nothing was done to it"
          action={
            <ButtonLink kind="secondary" href="/ops/audit">
              Show everything
            </ButtonLink>
          }
        >
          No operator has acted on this target.
        </EmptyState>
      )}
      <Pager first={after === undefined ? null : here()} next={next === null ? null : here(next)} />
    </div>
  );
}
