import Link from "next/link";
import { type OverviewInput, PAST_STATUSES } from "../../../../db/reminders/overview";
import { listAddress, PAST_STATUS_NAMES } from "./search";

const TAB = "inline-flex min-h-10 items-center rounded-md px-4 text-[0.9375rem] font-medium";
const CHIP = "inline-flex min-h-9 items-center rounded-full border px-3.5 text-sm font-medium";

/** Which reminders are shown: links, so that each list has an address of its own. */
export function ListFilters({ search }: { search: OverviewInput }) {
  return (
    <div className="flex flex-wrap items-center gap-x-6 gap-y-3">
      <nav aria-label="Lists" className="flex rounded-lg bg-sunken p-1">
        {(["upcoming", "past"] as const).map((list) => {
          const here = search.list === list;
          return (
            <Link
              key={list}
              href={listAddress({ list })}
              aria-current={here ? "page" : undefined}
              className={`${TAB} ${here ? "bg-raised text-ink shadow-sm" : "text-ink-soft hover:text-ink"}`}
            >
              {list === "upcoming" ? "Upcoming" : "Past"}
            </Link>
          );
        })}
      </nav>
      {search.list === "past" && (
        <nav aria-label="Filter by what became of them">
          <ul className="flex flex-wrap gap-2">
            {([undefined, ...PAST_STATUSES] as const).map((status) => {
              const here = search.status === status;
              return (
                <li key={status ?? "all"}>
                  <Link
                    href={listAddress({ list: "past", status })}
                    aria-current={here ? "true" : undefined}
                    className={`${CHIP} ${here ? "border-accent bg-accent-soft text-accent-ink" : "border-line-strong/60 text-ink-soft hover:text-ink"}`}
                  >
                    {status === undefined ? "All" : PAST_STATUS_NAMES[status]}
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
