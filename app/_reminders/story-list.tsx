import { ChevronDown } from "lucide-react";
import type { Language } from "../../db/rules/languages";
import { ChannelIcon } from "../_ui/channel-icon";
import { PhraseText } from "../_ui/phrase";
import { StatusMark } from "../_ui/status-mark";
import type { StoryEntry } from "./story";

interface StoryListProps {
  entries: readonly StoryEntry[];
  timeZone: string;
  nowMs: number;
  language: Language;
}

/** What became of a reminder, channel by channel, in plain words. */
export function StoryList({ entries, language, ...when }: StoryListProps) {
  return (
    <ul className="divide-y divide-line">
      {entries.map((entry) => (
        <li key={entry.key} className="flex gap-4 py-4 first:pt-0 last:pb-0">
          <span className="flex size-10 shrink-0 items-center justify-center rounded-full bg-sunken text-ink-soft">
            <ChannelIcon channel={entry.channel} />
          </span>
          <div className="min-w-0 grow space-y-1">
            <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
              <h3 className="font-medium">{entry.name}</h3>
              <StatusMark tone={entry.line.tone}>{entry.line.status}</StatusMark>
            </div>
            <p className="text-[0.9375rem] text-ink-soft">
              <PhraseText phrase={entry.line.sentence} {...when} tag={language.tag} />
            </p>
            {entry.line.advice !== null && <p className="text-[0.9375rem]">{entry.line.advice}</p>}
            {entry.calls.length > 0 && (
              <details className="group text-sm">
                <summary className="inline-flex min-h-8 items-center gap-1 font-medium text-accent-ink">
                  <ChevronDown
                    aria-hidden
                    className="size-4 motion-safe:transition-transform group-open:rotate-180"
                  />
                  {language.words.reminder.everyTry}
                </summary>
                <ol className="mt-1 list-inside list-decimal space-y-1 text-ink-soft">
                  {entry.calls.map((call, index) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: tries are numbered and never change places
                    <li key={index}>
                      <PhraseText phrase={call} {...when} tag={language.tag} />
                    </li>
                  ))}
                </ol>
              </details>
            )}
          </div>
        </li>
      ))}
    </ul>
  );
}
