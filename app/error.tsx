"use client";

import { Failure } from "./_ui/failure";

/** What is shown in place of a page that failed. */
export default function ErrorPage({ error, retry }: { error: unknown; retry: () => void }) {
  return (
    <main id="main" className="grow px-5">
      <title>Something went wrong · Punctual</title>
      <Failure error={error} retry={retry} />
    </main>
  );
}
