import type { ReactNode } from "react";
import { SubmitButton } from "../_ui/submit-button";

interface CancelFormProps {
  title: string;
  action: () => Promise<void>;
  /** The way out. */
  keep: ReactNode;
}

/** The question whether to cancel: it and its button name what goes, so that nobody cancels the wrong thing. */
export function CancelForm({ title, action, keep }: CancelFormProps) {
  return (
    <form action={action} className="space-y-4">
      <h2 id="cancel-question" dir="auto" className="text-xl font-semibold break-words">
        Cancel “{title}”?
      </h2>
      <p className="text-ink-soft">
        What has not been sent will not be sent. A message that is on its way at this moment cannot be called
        back; you will be told.
      </p>
      <div className="flex flex-wrap gap-3 pt-1">
        <SubmitButton kind="danger">Cancel reminder</SubmitButton>
        {keep}
      </div>
    </form>
  );
}
