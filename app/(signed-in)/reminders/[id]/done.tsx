import type { ReactNode } from "react";
import { CHANNELS } from "../../../../db/rules/api-schemas";
import type { Language } from "../../../../db/rules/languages";
import { type CancelWord, tellCancel } from "../../../../db/rules/reminder-words";
import type { Words } from "../../../../db/rules/speech";
import { Notice } from "../../../_ui/notice";

type Query = Record<string, string | string[] | undefined>;

const OUTCOMES: readonly CancelWord[] = ["cancelled", "too_late", "already_sent", "already_ended"];

/** What the address calls what has just been done: its sentence, and whether it went as asked. */
const SAID: Record<string, { words: Exclude<keyof Words["reminder"]["said"], "cancelled">; good: boolean }> =
  {
    set: { words: "set", good: true },
    saved: { words: "saved", good: true },
    snoozed: { words: "snoozed", good: true },
    done: { words: "done", good: true },
    pause: { words: "pause", good: true },
    resume: { words: "resume", good: true },
    restore: { words: "restore", good: true },
    "no-restore": { words: "noRestore", good: false },
    "no-resume": { words: "noResume", good: false },
    "no-pause": { words: "late", good: false },
    "no-done": { words: "late", good: false },
  };

interface DoneProps {
  query: Query;
  undo: ReactNode;
  language: Language;
}

/** Says what has just been done, as the address tells it: the same without script and after a reload. */
export function Done({ query, undo, language }: DoneProps) {
  const name = typeof query.done === "string" ? query.done : "";
  if (name === "cancelled") {
    const outcome = typeof query.outcome === "string" ? query.outcome : "";
    return <Cancelled outcome={outcome} undo={undo} language={language} />;
  }
  const said = Object.hasOwn(SAID, name) ? SAID[name] : undefined;
  if (said === undefined) return null;
  return <Notice kind={said.good ? "good" : "attention"}>{language.words.reminder.said[said.words]}</Notice>;
}

interface CancelledProps {
  outcome: string;
  undo: ReactNode;
  language: Language;
}

function Cancelled({ outcome, undo, language }: CancelledProps) {
  const { said } = language.words.reminder;
  const told = readOutcome(outcome);
  const clean = told.every(({ word }) => word === "cancelled");
  return (
    <Notice kind={clean ? "good" : "attention"}>
      <p className="font-medium">{clean ? said.cancelled : said.cancelledInPart}</p>
      {!clean && (
        <ul>
          {told.map(({ channel, word }) => (
            <li key={channel}>{tellCancel(channel, word, language)}</li>
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
