import { ChevronDown } from "lucide-react";
import type { Language } from "../../../../db/rules/languages";
import { USUAL_SMS_HOURS } from "../../../../db/rules/sms-hours";
import { counted, fill, type Words } from "../../../../db/rules/speech";
import type { DestinationView } from "../../../../db/subscribers";
import { Input } from "../../../_ui/field";
import { SubmitButton } from "../../../_ui/submit-button";
import { describe, saveSmsHours } from "./actions";

interface DescribeProps {
  destination: DestinationView;
  language: Language;
  named?: boolean;
}

/** What its owner calls a device, and how many messages a day they want at an address. */
export function Describe({ destination, language, named = false }: DescribeProps) {
  const { tag, words } = language;
  const { channels } = words;
  const { id, label, dailyLimit } = destination;
  const name = label ?? destination.address;
  const limit = dailyLimit ?? null;
  return (
    <details className="group w-full">
      <summary className="inline-flex min-h-9 items-center gap-1.5 text-sm font-medium text-accent-ink">
        <ChevronDown aria-hidden className="size-4 motion-safe:transition-transform group-open:rotate-180" />
        {named ? channels.nameAndLimit : channels.limit}
        <span className="font-normal text-ink-soft">
          {limit === null ? channels.noLimit : counted(channels.atMost, limit, tag)}
        </span>
        <span className="sr-only"> {fill(channels.of, { name })}</span>
      </summary>
      <form action={describe.bind(null, id)} className="mt-2 flex flex-wrap items-end gap-3">
        {named && (
          <div className="min-w-40 grow text-sm text-ink-soft">
            <label htmlFor={`label-${id}`}>{channels.name}</label>
            <Input
              id={`label-${id}`}
              name="label"
              defaultValue={label ?? ""}
              maxLength={80}
              dir="auto"
              className="mt-1"
            />
          </div>
        )}
        <div className="text-sm text-ink-soft">
          <label htmlFor={`dailyLimit-${id}`}>{channels.perDay}</label>
          <Input
            id={`dailyLimit-${id}`}
            name="dailyLimit"
            type="number"
            inputMode="numeric"
            min={1}
            max={100}
            defaultValue={limit ?? ""}
            className="mt-1 w-28! tabular-nums"
          />
        </div>
        <SubmitButton kind="secondary">
          {channels.save}
          <span className="sr-only"> {fill(channels.for, { name })}</span>
        </SubmitButton>
      </form>
      <p className="mt-2 text-sm text-ink-soft">{channels.limitHint}</p>
    </details>
  );
}

interface SmsHoursProps {
  hours: { from: string; until: string } | null;
  words: Words["channels"];
}

/** When text messages may come, on the recipient's clock. */
export function SmsHours({ hours, words }: SmsHoursProps) {
  const shown = hours ?? USUAL_SMS_HOURS;
  return (
    <form action={saveSmsHours} className="space-y-3 border-t border-line pt-4">
      <label className="flex items-start gap-3">
        <input
          type="checkbox"
          name="smsLimited"
          defaultChecked={hours !== null}
          className="mt-1 size-5 shrink-0 accent-accent"
        />
        <span>
          {words.hours}
          <span className="block text-sm text-ink-soft">{words.hoursHint}</span>
        </span>
      </label>
      <div className="flex flex-wrap items-end gap-3 sm:ps-8">
        <div className="text-sm text-ink-soft">
          <label htmlFor="smsFrom">{words.from}</label>
          <Input id="smsFrom" name="smsFrom" type="time" defaultValue={shown.from} className="mt-1 w-36!" />
        </div>
        <div className="text-sm text-ink-soft">
          <label htmlFor="smsUntil">{words.until}</label>
          <Input
            id="smsUntil"
            name="smsUntil"
            type="time"
            defaultValue={shown.until}
            className="mt-1 w-36!"
          />
        </div>
        <SubmitButton kind="secondary">{words.saveHours}</SubmitButton>
      </div>
    </form>
  );
}
