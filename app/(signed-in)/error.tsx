"use client";

import { useWords } from "../_language/give-words";
import { Failure } from "../_ui/failure";

/** What is shown in place of a page that failed; the frame around it stays. */
export default function SignedInError({ error, retry }: { error: unknown; retry: () => void }) {
  const { frame, failure } = useWords("frame", "failure").words;
  return (
    <>
      <title>{`${frame.failedTitle} · Punctual`}</title>
      <Failure error={error} retry={retry} words={failure} />
    </>
  );
}
