import { Repeat } from "lucide-react";
import Link from "next/link";
import type { ReminderOverview } from "../../db/reminders/overview";
import type { Language } from "../../db/rules/languages";
import { tellRecurrence } from "../../db/rules/recurrence-words";
import { channelList, tellReminder } from "../../db/rules/reminder-words";
import { fill } from "../../db/rules/speech";
import { relativeTime } from "../_time/format";
import { ChannelIcon } from "../_ui/channel-icon";
import { StatusMark } from "../_ui/status-mark";
import { When } from "../_ui/when";

/** Reminders, each a link to its story. */
export function ReminderList({
  reminders,
  ...rest
}: {
  reminders: readonly ReminderOverview[];
  nowMs: number;
  language: Language;
}) {
  return (
    <ul className="divide-y divide-line overflow-hidden rounded-2xl border border-line bg-surface shadow-card">
      {reminders.map((reminder) => (
        <li key={reminder.id}>
          <ReminderRow reminder={reminder} {...rest} />
        </li>
      ))}
    </ul>
  );
}

interface RowProps {
  reminder: ReminderOverview;
  nowMs: number;
  language: Language;
}

function ReminderRow({ reminder, nowMs, language }: RowProps) {
  const { tag, words } = language;
  const dueAtMs = Date.parse(reminder.dueAt);
  const { status, tone } = tellReminder(
    {
      status: reminder.status,
      occurrenceState: reminder.occurrence.state,
      counts: reminder.counts,
    },
    language,
  );
  return (
    <Link
      href={`/reminders/${reminder.id}`}
      className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 px-4 py-4 -outline-offset-2! hover:bg-sunken/60 sm:px-5"
    >
      <div className="min-w-0 flex-1 basis-64 space-y-1">
        <p dir="auto" className="align-parent truncate font-medium">
          {reminder.title}
        </p>
        <p className="flex flex-wrap items-center gap-x-3 text-sm text-ink-soft">
          <When atMs={dueAtMs} timeZone={reminder.timeZone} nowMs={nowMs} tag={tag} />
          {reminder.status === "active" && <span>{relativeTime(dueAtMs, nowMs, tag)}</span>}
          {reminder.repeat !== null && (
            <span className="inline-flex items-center gap-1">
              <Repeat aria-hidden className="size-3.5" />
              {tellRecurrence(reminder.repeat, language)}
            </span>
          )}
        </p>
      </div>
      <div className="flex w-full items-center justify-between gap-4 sm:w-auto">
        <span className="flex gap-2 text-ink-soft">
          <span className="sr-only">
            {fill(words.list.by, { channels: channelList(reminder.channels, language) })}
          </span>
          {reminder.channels.map((channel) => (
            <ChannelIcon key={channel} channel={channel} className="size-4" />
          ))}
        </span>
        <StatusMark tone={tone}>{status}</StatusMark>
      </div>
    </Link>
  );
}
