"use client";

import { useState } from "react";
import { presetsAt } from "../../db/rules/presets";
import { formatWhen } from "../../db/rules/time-zone";
import { relativeTime, shortTime, zoneLabel } from "../_time/format";
import { ZoneSelect } from "../_time/zone-select";
import { FieldError, Input } from "../_ui/field";
import { readWhen, type WhenInput } from "./due-input";

interface WhenFieldsProps {
  initial: WhenInput;
  zones: readonly string[];
  nowMs: number;
  error: string | undefined;
}

const CHIP =
  "block h-full rounded-xl border border-line-strong/70 bg-surface px-3 py-2.5 hover:bg-sunken peer-checked:border-accent peer-checked:bg-accent-soft/60 peer-checked:ring-1 peer-checked:ring-accent peer-focus-visible:outline-2 peer-focus-visible:outline-offset-2 peer-focus-visible:outline-accent";

/** Which zone the presets of a zone are shown in, and how the browser clock of the moment is told from the server's. */
function useWhen(initial: WhenInput) {
  const [when, setWhen] = useState(initial);
  const choose = (choice: string) => {
    const [date = "", time = ""] = choice.split("T");
    setWhen((before) => (choice === "custom" ? { ...before, choice } : { ...before, choice, date, time }));
  };
  const type = (change: Partial<WhenInput>) =>
    setWhen((before) => ({ ...before, ...change, choice: "custom" }));
  return { when, choose, type };
}

/** When a reminder is due: times that people mean, or a date and a time, in a zone that is always shown. */
export function WhenFields({ initial, zones, nowMs, error }: WhenFieldsProps) {
  const { when, choose, type } = useWhen(initial);
  const presets = presetsAt(nowMs, when.timeZone);
  const read = readWhen(when, nowMs);
  const invalid = error === undefined ? undefined : true;
  return (
    <fieldset aria-describedby="when-error when-echo">
      <legend className="mb-2 font-medium">When</legend>
      <div className="grid grid-cols-2 gap-2.5 sm:grid-cols-3">
        {presets.map(({ name, local }) => (
          <Chip
            key={name}
            value={local}
            checked={when.choice === local}
            onChoose={choose}
            name={name}
            detail={<PresetTime local={local} timeZone={when.timeZone} nowMs={nowMs} />}
          />
        ))}
        <Chip
          value="custom"
          checked={when.choice === "custom"}
          onChoose={choose}
          name="Another time"
          detail="Choose it below"
        />
      </div>
      <div className="mt-4 flex flex-wrap gap-4">
        <div className="min-w-36 flex-1">
          <label htmlFor="date" className="mb-1.5 block text-sm text-ink-soft">
            Date
          </label>
          <Input
            id="date"
            name="date"
            type="date"
            value={when.date}
            onChange={(event) => type({ date: event.target.value })}
            aria-invalid={invalid}
            aria-describedby="when-error"
          />
        </div>
        <div className="min-w-28 flex-1">
          <label htmlFor="time" className="mb-1.5 block text-sm text-ink-soft">
            Time
          </label>
          <Input
            id="time"
            name="time"
            type="time"
            value={when.time}
            onChange={(event) => type({ time: event.target.value })}
            aria-invalid={invalid}
            aria-describedby="when-error"
          />
        </div>
        <div className="min-w-52 flex-[1.5]">
          <label htmlFor="timeZone" className="mb-1.5 block text-sm text-ink-soft">
            Time zone
          </label>
          <ZoneSelect
            id="timeZone"
            name="timeZone"
            zones={zones}
            value={when.timeZone}
            onChange={(event) => type({ timeZone: event.target.value })}
          />
        </div>
      </div>
      <FieldError id="when-error" error={error} />
      <p id="when-echo" aria-live="polite" className="mt-3 text-[0.9375rem] text-ink-soft empty:mt-0">
        {read.ok ? (
          <>
            Due <strong className="font-medium text-ink">{formatWhen(read.atMs, read.timeZone, "en")}</strong>
            , {relativeTime(read.atMs, nowMs)}.
          </>
        ) : when.date !== "" && when.time !== "" && error === undefined ? (
          read.error
        ) : null}
      </p>
    </fieldset>
  );
}

interface ChipProps {
  value: string;
  checked: boolean;
  onChoose: (value: string) => void;
  name: string;
  detail: React.ReactNode;
}

function Chip({ value, checked, onChoose, name, detail }: ChipProps) {
  const id = `when-${value}`;
  return (
    <div>
      <input
        id={id}
        type="radio"
        name="choice"
        value={value}
        checked={checked}
        onChange={() => onChoose(value)}
        className="peer sr-only"
      />
      <label htmlFor={id} className={CHIP}>
        <span className="block text-[0.9375rem] font-medium">{name}</span>
        <span className="block text-[0.8125rem] whitespace-nowrap text-ink-soft tabular-nums">{detail}</span>
      </label>
    </div>
  );
}

/** The instant of a preset, in the zone of its wall time. */
function PresetTime({ local, timeZone, nowMs }: { local: string; timeZone: string; nowMs: number }) {
  const read = readWhen({ choice: local, date: "", time: "", timeZone }, nowMs);
  if (!read.ok) return local.replace("T", " ");
  return (
    <time dateTime={new Date(read.atMs).toISOString()}>
      {shortTime(read.atMs, timeZone, nowMs)}
      <span className="sr-only"> {zoneLabel(timeZone)}</span>
    </time>
  );
}
