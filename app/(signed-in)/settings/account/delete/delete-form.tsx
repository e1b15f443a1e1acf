"use client";

import { Trash2 } from "lucide-react";
import { type ReactNode, useActionState } from "react";
import { UNSENT } from "../../../../_forms/form-state";
import { useWords } from "../../../../_language/give-words";
import { Notice } from "../../../../_ui/notice";
import { SubmitButton } from "../../../../_ui/submit-button";
import { deleteAccount } from "../actions";

/** What goes, and the button that repeats it. */
export function DeleteForm({ email, keep }: { email: string; keep: ReactNode }) {
  const { account: words } = useWords("account").words;
  const [state, action] = useActionState(deleteAccount, UNSENT);
  return (
    <form action={action} className="space-y-4">
      <h1 className="text-xl font-semibold">{words.deleteQuestion}</h1>
      <p>
        <bdi className="font-medium break-all">{email}</bdi>
      </p>
      <ul className="list-disc space-y-1 ps-5 text-ink-soft">
        {words.deletePoints.map((point) => (
          <li key={point}>{point}</li>
        ))}
      </ul>
      {state.message !== null && (
        <Notice kind="bad">
          <p>{state.message}</p>
        </Notice>
      )}
      <div className="flex flex-wrap gap-3 pt-1">
        <SubmitButton kind="danger" icon={<Trash2 aria-hidden className="size-4" />}>
          {words.delete}
        </SubmitButton>
        {keep}
      </div>
    </form>
  );
}
