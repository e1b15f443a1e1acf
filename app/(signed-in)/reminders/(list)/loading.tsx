import { pageLanguage } from "../../../_language/language";
import { PageHeading } from "../../../_ui/page-parts";

const ROWS = ["w-2/3", "w-1/2", "w-3/5", "w-2/5"];

/** The frame of the list while it is read. */
export default async function LoadingReminders() {
  const { frame, list } = (await pageLanguage()).words;
  return (
    <div className="space-y-6" aria-busy="true">
      <PageHeading title={frame.reminders} />
      <p role="status" className="sr-only">
        {list.loading}
      </p>
      <div aria-hidden className="h-12 w-52 motion-safe:animate-pulse rounded-lg bg-sunken" />
      <div aria-hidden className="divide-y divide-line rounded-2xl border border-line bg-surface">
        {ROWS.map((width) => (
          <div key={width} className="space-y-2.5 px-5 py-5">
            <div className={`h-4 motion-safe:animate-pulse rounded bg-sunken ${width}`} />
            <div className="h-3 w-40 motion-safe:animate-pulse rounded bg-sunken" />
          </div>
        ))}
      </div>
    </div>
  );
}
