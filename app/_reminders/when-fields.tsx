"use client";

import { presetsAt } from "../../db/rules/presets";
import { fill } from "../../db/rules/speech";
import { formatWhen } from "../../db/rules/time-zone";
import { useWords } from "../_language/give-words";
import { Rich } from "../_language/rich";
import { relativeTime, shortTime, zoneLabel } from "../_time/format";
import { ZoneSelect } from "../_time/zone-select";
import { FieldError, Input } from "../_ui/field";
import { readWhen } from "./due-input";
import { type OwnQuietHours, QuietQuestion } from "./quiet-question";
import { RepeatFields } from "./repeat-fields";
import { TypedField } from "./typed-field";
import { type ComposerWhen, useWhen } from "./use-when";

interface WhenFieldsProps {
  initial: ComposerWhen;
  zones: readonly string[];
  quiet: OwnQuietHours | null;
  nowMs: number;
  error: string | undefined;
  repeatError: string | undefined;
}

const CHIP =
  "block h-full rounded-xl border border-line-strong/70 bg-surface px-3 py-2.5 hover:bg-sunken peer-checked:border-accent peer-checked:bg-accent-soft/60 peer-checked:ring-1 peer-checked:ring-accent peer-focus-visible:outline-2 peer-focus-visible:outline-offset-2 peer-focus-visible:outline-accent";

type Composer = ReturnType<typeof useWhen>;

/** When a reminder is due: a time that people mean, one in words, or a date and a time; and how it repeats. */
export function WhenFields({ initial, zones, quiet, nowMs, error, repeatError }: WhenFieldsProps) {
  const { tag, words } = useWords("when");
  const composer = useWhen(initial, nowMs);
  const { when, echo, read, wall } = composer;
  const typedWrong = when.choice === "typed" && echo?.ok === false;
  return (
    <>
      <fieldset aria-describedby="when-error when-echo">
        <legend className="mb-2 font-medium">{words.when.when}</legend>
        <Presets composer={composer} nowMs={nowMs} />
        <div className="mt-3 space-y-3">
          {/* What a browser sends when no preset is chosen: words that were typed, or the fields. */}
          {(when.choice === "custom" || when.choice === "typed") && (
            <input type="hidden" name="choice" value={when.choice} readOnly />
          )}
          <TypedField value={when.typed} echo={echo} onType={composer.type} />
          <DateAndTime composer={composer} invalid={error !== undefined} />
        </div>
        <Zone composer={composer} zones={zones} />
        <FieldError id="when-error" error={error} />
        <p id="when-echo" aria-live="polite" className="mt-3 text-[0.9375rem] text-ink-soft empty:mt-0">
          {read.ok && !typedWrong ? (
            <Rich
              template={words.when.due}
              values={{
                when: (
                  <strong className="font-medium text-ink">
                    {formatWhen(read.atMs, read.timeZone, tag)}
                  </strong>
                ),
                relative: relativeTime(read.atMs, nowMs, tag),
              }}
            />
          ) : !read.ok && when.date !== "" && when.time !== "" && error === undefined ? (
            read.error
          ) : null}
        </p>
        <QuietQuestion
          quiet={quiet}
          atMs={read.ok && !typedWrong ? read.atMs : null}
          nowMs={nowMs}
          through={when.throughQuiet}
          onChange={(throughQuiet) => composer.set({ throughQuiet })}
        />
      </fieldset>
      <RepeatFields
        value={when.repeat}
        onChange={(change) => composer.set({ repeat: { ...when.repeat, ...change } })}
        start={wall === null ? null : wall.length === 16 ? `${wall}:00` : wall}
        timeZone={when.timeZone}
        nowMs={nowMs}
        error={repeatError}
      />
    </>
  );
}

function Presets({ composer, nowMs }: { composer: Composer; nowMs: number }) {
  const { presets } = useWords("when").words.when;
  const { when, choose } = composer;
  return (
    <div className="grid grid-cols-2 gap-2.5 sm:grid-cols-3">
      {presetsAt(nowMs, when.timeZone).map(({ name, local }) => (
        <div key={name}>
          <input
            id={`when-${local}`}
            type="radio"
            name="choice"
            value={local}
            checked={when.choice === local}
            onChange={() => choose(local)}
            className="peer sr-only"
          />
          <label htmlFor={`when-${local}`} className={CHIP}>
            <span className="block text-[0.9375rem] font-medium">{presets[name]}</span>
            <span className="block text-[0.8125rem] text-ink-soft ltr:whitespace-nowrap tabular-nums">
              <PresetTime local={local} timeZone={when.timeZone} nowMs={nowMs} />
            </span>
          </label>
        </div>
      ))}
    </div>
  );
}

function DateAndTime({ composer, invalid }: { composer: Composer; invalid: boolean }) {
  const { when: words } = useWords("when").words;
  const { when, edit } = composer;
  const attributes = {
    "aria-invalid": invalid ? (true as const) : undefined,
    "aria-describedby": "when-error",
  };
  return (
    <div className="flex flex-wrap gap-3">
      <div className="min-w-36 flex-1">
        <label htmlFor="date" className="mb-1.5 block text-sm text-ink-soft">
          {words.date}
        </label>
        <Input
          id="date"
          name="date"
          type="date"
          value={when.date}
          onChange={(event) => edit({ date: event.target.value })}
          {...attributes}
        />
      </div>
      <div className="min-w-28 flex-1">
        <label htmlFor="time" className="mb-1.5 block text-sm text-ink-soft">
          {words.time}
        </label>
        <Input
          id="time"
          name="time"
          type="time"
          value={when.time}
          onChange={(event) => edit({ time: event.target.value })}
          {...attributes}
        />
      </div>
    </div>
  );
}

/** The zone is said in words; changing it is one step away. */
function Zone({ composer, zones }: { composer: Composer; zones: readonly string[] }) {
  const { when: words } = useWords("when").words;
  const { when, set, edit } = composer;
  return (
    <details className="group mt-3">
      <summary className="inline-flex min-h-9 items-center gap-1.5 text-[0.9375rem] text-ink-soft">
        <span>
          {fill(when.floating ? words.whereverNow : words.timeIn, { zone: zoneLabel(when.timeZone) })}
        </span>
        <span className="font-medium text-accent-ink underline underline-offset-2">{words.change}</span>
      </summary>
      <div className="mt-2 space-y-3 rounded-xl bg-sunken p-4">
        <div>
          <label htmlFor="timeZone" className="mb-1.5 block text-sm text-ink-soft">
            {words.timeZone}
          </label>
          <ZoneSelect
            id="timeZone"
            name="timeZone"
            zones={zones}
            value={when.timeZone}
            onChange={(event) => edit({ timeZone: event.target.value })}
          />
        </div>
        <label className="flex items-start gap-3">
          <input
            type="checkbox"
            name="floating"
            checked={when.floating}
            onChange={(event) => set({ floating: event.target.checked })}
            className="mt-1 size-5 shrink-0 accent-accent"
          />
          <span>
            {words.wherever}
            <span className="block text-sm text-ink-soft">{words.whereverHint}</span>
          </span>
        </label>
      </div>
    </details>
  );
}

/** The instant of a preset, in the zone of its wall time. */
function PresetTime({ local, timeZone, nowMs }: { local: string; timeZone: string; nowMs: number }) {
  const language = useWords("when");
  const read = readWhen({ choice: local, date: "", time: "", timeZone }, nowMs, language);
  if (!read.ok) return local.replace("T", " ");
  return (
    <time dateTime={new Date(read.atMs).toISOString()}>
      {shortTime(read.atMs, timeZone, nowMs, language.tag)}
      <bdi className="sr-only"> {zoneLabel(timeZone)}</bdi>
    </time>
  );
}
