"use client";

import { CircleX } from "lucide-react";
import { useRef } from "react";
import { Button, buttonClass } from "../_ui/button";
import { CancelForm } from "./cancel-form";

interface CancelDialogProps {
  reminderId: string;
  title: string;
  action: () => Promise<void>;
}

/** Asks once more before a reminder is cancelled. Without script the same question has a page of its own. */
export function CancelDialog({ reminderId, title, action }: CancelDialogProps) {
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
        Cancel
      </a>
      <dialog
        ref={dialog}
        aria-labelledby="cancel-question"
        className="m-auto w-[calc(100%-2rem)] max-w-md rounded-2xl border border-line bg-surface p-6 text-ink shadow-card"
      >
        <CancelForm
          title={title}
          action={action}
          keep={
            <Button kind="secondary" onClick={() => dialog.current?.close()}>
              Keep it
            </Button>
          }
        />
      </dialog>
    </>
  );
}
