import { CalendarClock, Plus, SearchX } from "lucide-react";
import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { countReminders, listOverview, type OverviewInput } from "../../../../db/reminders/overview";
import { fill, type Words } from "../../../../db/rules/speech";
import { readShopper } from "../../../../db/shoppers";
import { requireShopper } from "../../../_auth/session";
import { pageLanguage } from "../../../_language/language";
import { ReminderList } from "../../../_reminders/reminder-list";
import { ZoneHint } from "../../../_time/zone-hint";
import { ButtonLink } from "../../../_ui/button";
import { EmptyState, PageHeading } from "../../../_ui/page-parts";
import { ListFilters } from "./list-filters";
import { listAddress, readSearch } from "./search";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await pageLanguage()).words.frame.reminders };
}

/** A shopper's reminders: what is to come, or what is over; which of them stands in the address. */
export default async function RemindersPage({ searchParams }: PageProps<"/reminders">) {
  const search = readSearch(await searchParams);
  const shopper = await requireShopper(listAddress(search));
  const [page, settings, language] = await Promise.all([
    listOverview(shopper.subscriberId, search),
    readShopper(shopper.subscriberId),
    pageLanguage(),
  ]);
  // A cursor that is not one of ours: the list begins at its beginning.
  if (!page.ok) redirect(listAddress({ ...search, cursor: undefined }));
  const { frame, list } = language.words;
  const { reminders, nextCursor, nowMs } = page.value;
  return (
    <div className="space-y-6">
      <PageHeading title={frame.reminders} />
      {settings !== null && <ZoneHint stored={settings.timeZone} />}
      <ListFilters search={search} language={language} />
      {reminders.length > 0 ? (
        <ReminderList reminders={reminders} nowMs={nowMs} language={language} />
      ) : (
        <Empty search={search} any={(await countReminders(shopper.subscriberId)) > 0} words={list} />
      )}
      {(search.cursor !== undefined || nextCursor !== null) && (
        <nav aria-label={list.pages} className="flex flex-wrap justify-between gap-3">
          {search.cursor === undefined ? (
            <span />
          ) : (
            <ButtonLink kind="secondary" href={listAddress({ ...search, cursor: undefined })}>
              {list.first}
            </ButtonLink>
          )}
          {nextCursor !== null && (
            <ButtonLink kind="secondary" href={listAddress({ ...search, cursor: nextCursor })}>
              {search.list === "upcoming" ? list.later : list.earlier}
            </ButtonLink>
          )}
        </nav>
      )}
    </div>
  );
}

interface EmptyProps {
  search: OverviewInput;
  any: boolean;
  words: Words["list"];
}

function Empty({ search, any, words }: EmptyProps) {
  if (search.words !== undefined) {
    const other = search.list === "past" ? "upcoming" : "past";
    return (
      <EmptyState
        icon={<SearchX aria-hidden className="size-6" />}
        title={fill(search.list === "past" ? words.noMatchPast : words.noMatchUpcoming, {
          words: search.words,
        })}
        action={
          <ButtonLink kind="secondary" href={listAddress({ list: other, words: search.words })}>
            {other === "past" ? words.searchPast : words.searchUpcoming}
          </ButtonLink>
        }
      >
        {words.searched}
      </EmptyState>
    );
  }
  if (search.status !== undefined) {
    return (
      <EmptyState
        icon={<SearchX aria-hidden className="size-6" />}
        title={words.noneOfKind}
        action={
          <ButtonLink kind="secondary" href={listAddress({ list: "past" })}>
            {words.showAllPast}
          </ButtonLink>
        }
      >
        {words.noneOfKindText}
      </EmptyState>
    );
  }
  const create = (
    <ButtonLink href="/reminders/new">
      <Plus aria-hidden className="size-4" />
      {words.set}
    </ButtonLink>
  );
  if (search.list === "past") {
    return (
      <EmptyState
        icon={<CalendarClock aria-hidden className="size-6" />}
        title={words.nothingOver}
        action={create}
      >
        {words.nothingOverText}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={<CalendarClock aria-hidden className="size-6" />}
      title={any ? words.nothingComing : words.none}
      action={create}
    >
      {any ? words.nothingComingText : words.noneText}
    </EmptyState>
  );
}
