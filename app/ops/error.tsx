"use client";

import { Unreadable } from "../_ops/unreadable";
import { referenceOf } from "../_ui/failure";

/** What is shown in place of a page of the console that failed; the frame around it stays. */
export default function OpsError({ error, retry }: { error: unknown; retry: () => void }) {
  return <Unreadable reference={referenceOf(error)} retry={retry} />;
}
