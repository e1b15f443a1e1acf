const ROWS = ["w-2/3", "w-1/2", "w-3/5", "w-2/5", "w-1/2", "w-2/3"];

/** The frame of a page of the console while the ledger is asked. */
export default function LoadingConsole() {
  return (
    <div className="space-y-6" aria-busy="true">
      <p role="status" className="sr-only">
        Asking the ledger
      </p>
      <div aria-hidden className="h-8 w-44 motion-safe:animate-pulse rounded-lg bg-sunken" />
      <div aria-hidden className="divide-y divide-line rounded-2xl border border-line bg-surface">
        {ROWS.map((width, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: placeholders never change places
          <div key={index} className="px-5 py-4">
            <div className={`h-4 motion-safe:animate-pulse rounded bg-sunken ${width}`} />
          </div>
        ))}
      </div>
    </div>
  );
}
