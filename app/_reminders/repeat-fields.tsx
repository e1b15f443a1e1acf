"use client";

import { useEffect, useState } from "react";
import { WEEKDAYS } from "../../db/rules/recurrence-parts";
import { weekdayName } from "../../db/rules/recurrence-words";
import { fill, formOf } from "../../db/rules/speech";
import { useWords } from "../_language/give-words";
import { shortTime, zoneLabel } from "../_time/format";
import { FieldError, Input, Select } from "../_ui/field";
import { REPEATS, type RepeatInput, readRepeat } from "./repeat-input";

interface RepeatFieldsProps {
  value: RepeatInput;
  onChange: (change: Partial<RepeatInput>) => void;
  /** The first wall time; null while there is none. */
  start: string | null;
  timeZone: string;
  nowMs: number;
  error: string | undefined;
}

/** How a reminder repeats: one choice, more only when it is wanted, and always the next times that it comes to. */
export function RepeatFields({ value, onChange, start, timeZone, nowMs, error }: RepeatFieldsProps) {
  const { repeat } = value;
  const { tag, words } = useWords("repeat");
  const { names, units } = words.repeat;
  const forms = repeat === "" || repeat === "WEEKDAYS" ? null : units[repeat];
  const unit = forms === null ? null : formOf(forms, Number(value.interval) || 1, tag);
  return (
    <div className="space-y-4">
      <div>
        <label htmlFor="repeat" className="mb-1.5 block font-medium">
          {words.repeat.repeat}
        </label>
        <Select
          id="repeat"
          name="repeat"
          value={repeat}
          onChange={(event) => onChange({ repeat: event.target.value as RepeatInput["repeat"] })}
          aria-invalid={error === undefined ? undefined : true}
          aria-describedby="repeat-error"
        >
          {REPEATS.map((name) => (
            <option key={name} value={name}>
              {names[name === "" ? "never" : name]}
            </option>
          ))}
        </Select>
        <FieldError id="repeat-error" error={error} />
      </div>
      {repeat === "" ? null : (
        <div className="space-y-4 rounded-xl bg-sunken p-4">
          {unit !== null && (
            <p className="flex items-center gap-2.5">
              <label htmlFor="interval">{words.repeat.every}</label>
              <Input
                id="interval"
                name="interval"
                type="number"
                inputMode="numeric"
                min={1}
                max={60}
                value={value.interval}
                onChange={(event) => onChange({ interval: event.target.value })}
                className="w-20! tabular-nums"
              />
              {unit}
            </p>
          )}
          {repeat === "WEEKLY" && <Days value={value.days} onChange={(days) => onChange({ days })} />}
          <Ends value={value} onChange={onChange} />
          <NextTimes value={value} start={start} timeZone={timeZone} nowMs={nowMs} />
        </div>
      )}
    </div>
  );
}

function Days({ value, onChange }: { value: string; onChange: (days: string) => void }) {
  const { tag, words } = useWords("repeat");
  const chosen = value === "" ? [] : value.split(",");
  return (
    <fieldset>
      <legend className="mb-2 text-sm text-ink-soft">{words.repeat.days}</legend>
      <input type="hidden" name="days" value={value} readOnly />
      <div className="flex flex-wrap gap-2">
        {WEEKDAYS.map((day) => (
          <label
            key={day}
            className="inline-flex min-h-11 min-w-12 items-center justify-center rounded-lg border border-line-strong/70 bg-surface px-2.5 text-[0.9375rem] has-checked:border-accent has-checked:bg-accent-soft has-checked:font-medium has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent"
          >
            <input
              type="checkbox"
              checked={chosen.includes(day)}
              onChange={() =>
                onChange(WEEKDAYS.filter((one) => (one === day) !== chosen.includes(one)).join(","))
              }
              className="sr-only"
            />
            {weekdayName(day, tag, "short")}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function Ends({ value, onChange }: Pick<RepeatFieldsProps, "value" | "onChange">) {
  const { repeat: words } = useWords("repeat").words;
  return (
    <div className="flex flex-wrap items-center gap-2.5">
      <label htmlFor="ends">{words.ends}</label>
      <Select
        id="ends"
        name="ends"
        value={value.ends}
        onChange={(event) => onChange({ ends: event.target.value as RepeatInput["ends"] })}
        className="w-auto!"
      >
        <option value="never">{words.endsNever}</option>
        <option value="until">{words.endsUntil}</option>
        <option value="count">{words.endsCount}</option>
      </Select>
      {value.ends === "until" && (
        <Input
          name="until"
          type="date"
          aria-label={words.lastDay}
          value={value.until}
          onChange={(event) => onChange({ until: event.target.value })}
          className="w-auto!"
        />
      )}
      {value.ends === "count" && (
        <Input
          name="count"
          type="number"
          inputMode="numeric"
          min={1}
          max={730}
          aria-label={words.times}
          value={value.count}
          onChange={(event) => onChange({ count: event.target.value })}
          className="w-24! tabular-nums"
        />
      )}
    </div>
  );
}

/** The next three, computed by the very rule that the server uses; fetched only when something repeats. */
function NextTimes({ value, start, timeZone, nowMs }: Omit<RepeatFieldsProps, "onChange" | "error">) {
  const { tag, words } = useWords("repeat");
  const [times, setTimes] = useState<number[] | null>(null);
  const read = readRepeat(value, words.repeat);
  const recurrence = read.ok ? read.recurrence : null;
  useEffect(() => {
    let current = true;
    if (recurrence === null || start === null) {
      setTimes(null);
      return;
    }
    Promise.all([import("../../db/rules/recurrence"), import("../../db/rules/due-time")])
      .then(([{ seriesAfter }, { resolveWallTime }]) => {
        const walls = seriesAfter({ recurrence, start, after: null, limit: 3 });
        if (current) setTimes(walls.map((wall) => resolveWallTime(wall, timeZone).dueAtMs));
      })
      .catch(() => undefined);
    return () => {
      current = false;
    };
  }, [recurrence, start, timeZone]);

  return (
    <div aria-live="polite" className="text-[0.9375rem]">
      {read.ok ? null : <p className="font-medium text-bad">{read.error}</p>}
      {read.ok && start === null && <p className="text-ink-soft">{words.repeat.dueFirst}</p>}
      {times !== null && times.length > 0 && (
        <>
          <p className="text-ink-soft">{fill(words.repeat.next, { zone: zoneLabel(timeZone) })}</p>
          <ol className="mt-1 space-y-0.5">
            {times.map((atMs) => (
              <li key={atMs}>
                <time dateTime={new Date(atMs).toISOString()}>{shortTime(atMs, timeZone, nowMs, tag)}</time>
              </li>
            ))}
          </ol>
        </>
      )}
      {times !== null && times.length === 0 && (
        <p className="font-medium text-bad">{words.repeat.noneLeft}</p>
      )}
    </div>
  );
}
