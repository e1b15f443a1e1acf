"use client";

import { quietUntilMs } from "../../db/rules/quiet-hours";
import { fill } from "../../db/rules/speech";
import { useWords } from "../_language/give-words";
import { shortTime, zoneLabel } from "../_time/format";

export interface OwnQuietHours {
  start: string;
  end: string;
  /** The subscriber's zone, in which they are kept. */
  timeZone: string;
}

interface QuietQuestionProps {
  quiet: OwnQuietHours | null;
  atMs: number | null;
  nowMs: number;
  through: boolean;
  onChange: (through: boolean) => void;
}

/** Asks about a time inside one's own quiet hours, and says what happens either way. */
export function QuietQuestion({ quiet, atMs, nowMs, through, onChange }: QuietQuestionProps) {
  const { tag, words } = useWords("when");
  const endMs = quiet === null || atMs === null ? null : quietUntilMs({ nowMs: atMs, ...quiet });
  if (quiet === null || atMs === null || endMs === null) {
    return through ? <input type="hidden" name="throughQuiet" value="yes" readOnly /> : null;
  }
  const zone = quiet.timeZone;
  return (
    <fieldset className="mt-4 rounded-xl bg-attention-soft px-4 py-3.5 text-attention">
      <legend className="float-start mb-2 w-full font-medium">
        {fill(words.when.inQuiet, { start: quiet.start, end: quiet.end, zone: zoneLabel(zone) })}
      </legend>
      <div className="clear-both space-y-1 text-ink">
        <Answer
          value="no"
          checked={!through}
          onChoose={() => onChange(false)}
          words={fill(words.when.wait, { when: shortTime(endMs, zone, nowMs, tag) })}
        />
        <Answer
          value="yes"
          checked={through}
          onChoose={() => onChange(true)}
          words={fill(words.when.anyway, { when: shortTime(atMs, zone, nowMs, tag) })}
        />
      </div>
    </fieldset>
  );
}

function Answer({
  value,
  checked,
  onChoose,
  words,
}: {
  value: string;
  checked: boolean;
  onChoose: () => void;
  words: string;
}) {
  return (
    <label className="flex min-h-10 items-center gap-3">
      <input
        type="radio"
        name="throughQuiet"
        value={value}
        checked={checked}
        onChange={onChoose}
        className="size-5 shrink-0 accent-accent"
      />
      {words}
    </label>
  );
}
