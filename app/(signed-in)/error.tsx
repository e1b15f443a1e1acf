"use client";

import { Failure } from "../_ui/failure";

/** What is shown in place of a page that failed; the frame around it stays. */
export default function SignedInError({ error, retry }: { error: unknown; retry: () => void }) {
  return (
    <>
      <title>Something went wrong · Punctual</title>
      <Failure error={error} retry={retry} />
    </>
  );
}
