"use client";

import { CircleX } from "lucide-react";
import { useRef } from "react";
import { useWords } from "../_language/give-words";
import { Button, buttonClass } from "../_ui/button";
import { CancelForm } from "./cancel-form";

interface CancelDialogProps {
  reminderId: string;
  title: string;
  action: () => Promise<void>;
}

/** Asks once more before a reminder is cancelled. Without script the same question has a page of its own. */
export function CancelDialog({ reminderId, title, action }: CancelDialogProps) {
  const { reminder } = useWords("reminder").words;
  const dialog = useRef<HTMLDialogElement>(null);
  return (
    <>
      <a
        href={`/reminders/${reminderId}/cancel`}
        onClick={(event) => {
          if (event.metaKey || event.ctrlKey || event.shiftKey) return;
          event.preventDefault();
          dialog.current?.showModal();
        }}
        className={buttonClass("danger")}
      >
        <CircleX aria-hidden className="size-4" />
        {reminder.cancel}
      </a>
      <dialog
        ref={dialog}
        aria-labelledby="cancel-question"
        className="m-auto w-[calc(100%-2rem)] max-w-md rounded-2xl border border-line bg-surface p-6 text-ink shadow-card"
      >
        <CancelForm
          title={title}
          words={reminder}
          action={action}
          keep={
            <Button kind="secondary" onClick={() => dialog.current?.close()}>
              {reminder.keep}
            </Button>
          }
        />
      </dialog>
    </>
  );
}
