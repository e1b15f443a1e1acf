import { CHANNELS } from "../../../../db/rules/api-schemas";
import { type CancelWord, tellCancel } from "../../../../db/rules/reminder-words";
import { Notice } from "../../../_ui/notice";

type Query = Record<string, string | string[] | undefined>;

const OUTCOMES: readonly CancelWord[] = ["cancelled", "too_late", "already_sent", "already_ended"];

/** Says what has just been done, as the address tells it: the same without script and after a reload. */
export function Done({ query }: { query: Query }) {
  switch (query.done) {
    case "set":
      return <Notice kind="good">The reminder is set.</Notice>;
    case "saved":
      return <Notice kind="good">Saved. Only the new version will be sent.</Notice>;
    case "snoozed":
      return <Notice kind="good">Snoozed. It comes again at the time below.</Notice>;
    case "cancelled":
      return <Cancelled outcome={typeof query.outcome === "string" ? query.outcome : ""} />;
    default:
      return null;
  }
}

function Cancelled({ outcome }: { outcome: string }) {
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
