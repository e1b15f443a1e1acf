import { CalendarDays, Search } from "lucide-react";
import Link from "next/link";
import { type OverviewInput, PAST_STATUSES } from "../../../../db/reminders/overview";
import type { Language } from "../../../../db/rules/languages";
import { Button, ButtonLink } from "../../../_ui/button";
import { Input } from "../../../_ui/field";
import { listAddress } from "./search";

const TAB = "inline-flex min-h-10 items-center rounded-md px-4 text-[0.9375rem] font-medium";
const CHIP = "inline-flex min-h-9 items-center rounded-full border px-3.5 text-sm font-medium";

/** Which reminders are shown: links, so that each list has an address of its own. */
export function ListFilters({ search, language }: { search: OverviewInput; language: Language }) {
  const words = language.words.list;
  return (
    <div className="flex flex-wrap items-center gap-x-6 gap-y-3">
      <nav aria-label={words.lists} className="flex rounded-lg bg-sunken p-1">
        {(["upcoming", "past"] as const).map((list) => {
          const here = search.list === list;
          return (
            <Link
              key={list}
              href={listAddress({ list, words: search.words })}
              aria-current={here ? "page" : undefined}
              className={`${TAB} ${here ? "bg-raised text-ink shadow-sm" : "text-ink-soft hover:text-ink"}`}
            >
              {words[list]}
            </Link>
          );
        })}
      </nav>
      <form action="/reminders" className="order-last flex w-full gap-2 sm:order-none sm:ms-auto sm:w-auto">
        {search.list === "past" && <input type="hidden" name="list" value="past" />}
        <Input
          type="search"
          name="q"
          dir="auto"
          aria-label={words.searchLabel}
          placeholder={words.search}
          defaultValue={search.words}
          maxLength={100}
          className="min-h-10! sm:w-44"
        />
        <Button kind="secondary" type="submit" aria-label={words.search} className="px-3!">
          <Search aria-hidden className="size-4" />
        </Button>
        <ButtonLink href="/reminders/calendar" kind="secondary" className="px-3!" aria-label={words.calendar}>
          <CalendarDays aria-hidden className="size-4" />
        </ButtonLink>
      </form>
      {search.list === "past" && (
        <nav aria-label={words.filter}>
          <ul className="flex flex-wrap gap-2">
            {([undefined, ...PAST_STATUSES] as const).map((status) => {
              const here = search.status === status;
              return (
                <li key={status ?? "all"}>
                  <Link
                    href={listAddress({ list: "past", status, words: search.words })}
                    aria-current={here ? "true" : undefined}
                    className={`${CHIP} ${here ? "border-accent bg-accent-soft text-accent-ink" : "border-line-strong/60 text-ink-soft hover:text-ink"}`}
                  >
                    {words.statuses[status ?? "all"]}
                  </Link>
                </li>
              );
            })}
          </ul>
        </nav>
      )}
    </div>
  );
}
