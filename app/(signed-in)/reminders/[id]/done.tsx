import type { ReactNode } from "react";
import { CHANNELS } from "../../../../db/rules/api-schemas";
import { type CancelWord, tellCancel } from "../../../../db/rules/reminder-words";
import { Notice } from "../../../_ui/notice";

type Query = Record<string, string | string[] | undefined>;

const OUTCOMES: readonly CancelWord[] = ["cancelled", "too_late", "already_sent", "already_ended"];

/** Says what has just been done, as the address tells it: the same without script and after a reload. */
export function Done({ query, undo }: { query: Query; undo: ReactNode }) {
  switch (query.done) {
    case "set":
      return <Notice kind="good">The reminder is set.</Notice>;
    case "saved":
      return <Notice kind="good">Saved. Only the new version will be sent.</Notice>;
    case "snoozed":
      return <Notice kind="good">Snoozed. It comes again at the time below.</Notice>;
    case "done":
      return <Notice kind="good">Done. Nothing more of it will be sent.</Notice>;
    case "pause":
      return <Notice kind="good">Paused. Nothing comes until you resume it.</Notice>;
    case "resume":
      return <Notice kind="good">Resumed. It comes at the time below.</Notice>;
    case "restore":
      return <Notice kind="good">The cancel is taken back. It comes at the time below.</Notice>;
    case "no-restore":
      return <Notice kind="attention">It is too late to take the cancel back: set it again instead.</Notice>;
    case "no-resume":
      return <Notice kind="attention">Its time has passed while it was paused: set it again instead.</Notice>;
    case "no-pause":
    case "no-done":
      return <Notice kind="attention">That was not possible any more. This is how it stands now.</Notice>;
    case "cancelled":
      return <Cancelled outcome={typeof query.outcome === "string" ? query.outcome : ""} undo={undo} />;
    default:
      return null;
  }
}

function Cancelled({ outcome, undo }: { outcome: string; undo: ReactNode }) {
  const told = readOutcome(outcome);
  const clean = told.every(({ word }) => word === "cancelled");
  return (
    <Notice kind={clean ? "good" : "attention"}>
      <p className="font-medium">
        {clean ? "The reminder is cancelled." : "Cancelled, as far as it was in time."}
      </p>
      {!clean && (
        <ul>
          {told.map(({ channel, word }) => (
            <li key={channel}>{tellCancel(channel, word).sentence}</li>
          ))}
        </ul>
      )}
      {undo}
    </Notice>
  );
}

function readOutcome(text: string) {
  return text.split(",").flatMap((part) => {
    const [name, outcome] = part.split(":");
    const channel = CHANNELS.find((known) => known === name);
    const word = OUTCOMES.find((known) => known === outcome);
    return channel === undefined || word === undefined ? [] : [{ channel, word }];
  });
}
