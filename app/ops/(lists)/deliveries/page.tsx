import { SearchX, Send } from "lucide-react";
import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { type DeliveryPage, listDeliveries, SCAN_MAX } from "../../../../db/console/deliveries";
import { readDeliveryStory } from "../../../../db/console/delivery";
import { readPartitionKeys } from "../../../../db/console/pulse";
import { requireReader } from "../../../_auth/operator";
import { DeliveryTable } from "../../../_ops/delivery-table";
import { Pager } from "../../../_ops/pager";
import { count, one } from "../../../_ops/words";
import { ButtonLink } from "../../../_ui/button";
import { Notice } from "../../../_ui/notice";
import { EmptyState, PageHeading } from "../../../_ui/page-parts";
import { When } from "../../../_ui/when";
import { FilterForm, FindForm } from "./filter-form";
import { deliveriesAddress, type ReadFilters, readFilters } from "./filters";

export const metadata: Metadata = { title: "Deliveries" };

/** One screen of deliveries. */
const PAGE_SIZE = 50;

/** The ledger, what was opened last first, narrowed down by what stands in the address. */
export default async function DeliveriesPage({ searchParams }: PageProps<"/ops/deliveries">) {
  const query = await searchParams;
  const { words, filters, unknown } = readFilters(query);
  const { timeZone, nowMs } = await requireReader(deliveriesAddress(words));
  const name = one(query, "name")?.trim();
  const found = name === undefined ? null : await readDeliveryStory(name);
  if (found !== null) redirect(`/ops/deliveries/${found.delivery.reference}`);
  const after = one(query, "after");
  const [page, partitions] = await Promise.all([
    listDeliveries(filters, { limit: PAGE_SIZE, ...(after === undefined ? {} : { after }) }),
    readPartitionKeys(),
  ]);
  // A place that is not one of ours: the list begins at its beginning.
  if (!page.ok) redirect(deliveriesAddress(words));
  const { deliveries, next } = page.value;
  return (
    <div className="space-y-6">
      <PageHeading title="Deliveries" />
      <FindForm missing={name} />
      <FilterForm words={words} partitions={partitions} />
      {unknown.length > 0 && (
        <Notice kind="attention">
          <p>The address asks for something that is not known here: {unknown.join(", ")}. It was left out.</p>
        </Notice>
      )}
      {deliveries.length > 0 ? (
        <DeliveryTable
          caption="Deliveries, what was opened last first"
          deliveries={deliveries}
          timeZone={timeZone}
          nowMs={nowMs}
        />
      ) : (
        <Empty words={words} page={page.value} />
      )}
      {page.value.partial && page.value.lookedBackToMs !== null && (
        <p className="text-sm text-ink-soft">
          This page looked through {count(SCAN_MAX)} deliveries, back to{" "}
          <When atMs={page.value.lookedBackToMs} timeZone={timeZone} nowMs={nowMs} seconds />. There may be
          more behind them.
        </p>
      )}
      <Pager
        first={after === undefined ? null : deliveriesAddress(words)}
        next={next === null ? null : deliveriesAddress({ ...words, after: next })}
        nextName={page.value.partial ? "Look further back" : "Older"}
      />
    </div>
  );
}

function Empty({ words, page }: { words: ReadFilters["words"]; page: DeliveryPage }) {
  if (Object.keys(words).length > 0) {
    return (
      <EmptyState
        icon={<SearchX aria-hidden className="size-6" />}
        title={page.partial ? "None so far" : "No delivery fits"}
        action={
          <ButtonLink kind="secondary" href="/ops/deliveries">
            Show all deliveries
          </ButtonLink>
        }
      >
        {page.partial
          ? "Nothing that was looked at fits these filters. Look further back, or take a filter away."
          : "Nothing in the ledger fits these filters. Take one away, or look for one delivery by its key."}
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={<Send aria-hidden className="size-6" />} title="No delivery yet">
      Each reminder that comes due makes one for every channel that it is set for, and each sign-in code makes
      one.
    </EmptyState>
  );
}
