"use client";

import { useWords } from "./_language/give-words";
import { Failure } from "./_ui/failure";

/** What is shown in place of a page that failed. */
export default function ErrorPage({ error, retry }: { error: unknown; retry: () => void }) {
  const { frame, failure } = useWords("frame", "failure").words;
  return (
    <main id="main" className="grow px-5">
      <title>{`${frame.failedTitle} · Punctual`}</title>
      <Failure error={error} retry={retry} words={failure} />
    </main>
  );
}
