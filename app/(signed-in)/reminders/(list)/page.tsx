import { CalendarClock, Plus, SearchX } from "lucide-react";
import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { countReminders, listOverview, type OverviewInput } from "../../../../db/reminders/overview";
import { readShopper } from "../../../../db/shoppers";
import { requireShopper } from "../../../_auth/session";
import { ReminderList } from "../../../_reminders/reminder-list";
import { ZoneHint } from "../../../_time/zone-hint";
import { ButtonLink } from "../../../_ui/button";
import { EmptyState, PageHeading } from "../../../_ui/page-parts";
import { ListFilters } from "./list-filters";
import { listAddress, readSearch } from "./search";

export const metadata: Metadata = { title: "Reminders" };

/** A shopper's reminders: what is to come, or what is over; which of them stands in the address. */
export default async function RemindersPage({ searchParams }: PageProps<"/reminders">) {
  const search = readSearch(await searchParams);
  const shopper = await requireShopper(listAddress(search));
  const [page, settings] = await Promise.all([
    listOverview(shopper.subscriberId, search),
    readShopper(shopper.subscriberId),
  ]);
  // A cursor that is not one of ours: the list begins at its beginning.
  if (!page.ok) redirect(listAddress({ ...search, cursor: undefined }));
  const { reminders, nextCursor, nowMs } = page.value;
  return (
    <div className="space-y-6">
      <PageHeading title="Reminders" />
      {settings !== null && <ZoneHint stored={settings.timeZone} />}
      <ListFilters search={search} />
      {reminders.length > 0 ? (
        <ReminderList reminders={reminders} nowMs={nowMs} />
      ) : (
        <Empty search={search} any={(await countReminders(shopper.subscriberId)) > 0} />
      )}
      {(search.cursor !== undefined || nextCursor !== null) && (
        <nav aria-label="Pages" className="flex flex-wrap justify-between gap-3">
          {search.cursor === undefined ? (
            <span />
          ) : (
            <ButtonLink kind="secondary" href={listAddress({ ...search, cursor: undefined })}>
              Back to the first
            </ButtonLink>
          )}
          {nextCursor !== null && (
            <ButtonLink kind="secondary" href={listAddress({ ...search, cursor: nextCursor })}>
              {search.list === "upcoming" ? "Later reminders" : "Earlier reminders"}
            </ButtonLink>
          )}
        </nav>
      )}
    </div>
  );
}

function Empty({ search, any }: { search: OverviewInput; any: boolean }) {
  if (search.words !== undefined) {
    const other = search.list === "past" ? "upcoming" : "past";
    return (
      <EmptyState
        icon={<SearchX aria-hidden className="size-6" />}
        title={`Nothing ${search.list === "past" ? "past" : "to come"} holds “${search.words}”`}
        action={
          <ButtonLink kind="secondary" href={listAddress({ list: other, words: search.words })}>
            Search {other === "past" ? "past reminders" : "what is to come"}
          </ButtonLink>
        }
      >
        Titles, notes and links are searched.
      </EmptyState>
    );
  }
  if (search.status !== undefined) {
    return (
      <EmptyState
        icon={<SearchX aria-hidden className="size-6" />}
        title="None of your past reminders fits"
        action={
          <ButtonLink kind="secondary" href={listAddress({ list: "past" })}>
            Show all past reminders
          </ButtonLink>
        }
      >
        There are past reminders only of other kinds, or none yet.
      </EmptyState>
    );
  }
  const create = (
    <ButtonLink href="/reminders/new">
      <Plus aria-hidden className="size-4" />
      Set a reminder
    </ButtonLink>
  );
  if (search.list === "past") {
    return (
      <EmptyState
        icon={<CalendarClock aria-hidden className="size-6" />}
        title="Nothing is over yet"
        action={create}
      >
        Reminders that were sent, cancelled or could not be delivered are kept here with their story.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={<CalendarClock aria-hidden className="size-6" />}
      title={any ? "Nothing is coming up" : "No reminders yet"}
      action={create}
    >
      {any
        ? "All your reminders are over. Set the next one when you think of it."
        : "Say what and when, and choose how it should reach you. It arrives on time, once."}
    </EmptyState>
  );
}
