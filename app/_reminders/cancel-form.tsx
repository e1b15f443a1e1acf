import type { ReactNode } from "react";
import { fill, type Words } from "../../db/rules/speech";
import { SubmitButton } from "../_ui/submit-button";

interface CancelFormProps {
  words: Words["reminder"];
  title: string;
  action: () => Promise<void>;
  /** The way out. */
  keep: ReactNode;
}

/** The question whether to cancel: it and its button name what goes, so that nobody cancels the wrong thing. */
export function CancelForm({ words, title, action, keep }: CancelFormProps) {
  return (
    <form action={action} className="space-y-4">
      <h2 id="cancel-question" className="text-xl font-semibold break-words">
        {fill(words.cancelQuestion, { title })}
      </h2>
      <p className="text-ink-soft">{words.cancelText}</p>
      <div className="flex flex-wrap gap-3 pt-1">
        <SubmitButton kind="danger">{words.cancelButton}</SubmitButton>
        {keep}
      </div>
    </form>
  );
}
