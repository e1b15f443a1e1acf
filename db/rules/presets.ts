import { Temporal } from "temporal-polyfill";
import type { Words } from "./speech";

/** A time that is offered by name, with the wall time that it stands for. */
export interface Preset {
  name: keyof Words["when"]["presets"];
  /** `YYYY-MM-DDTHH:MM` in the zone that was asked for. */
  local: string;
}

const MORNING = 8;
const LUNCH = 13;
const EVENING = 19;
const WEEKEND_MORNING = 10;
const SATURDAY = 6;
const MONDAY = 1;

/** A preset this near is past before the form is sent. */
const NEAREST_MS = 5 * 60_000;

/**
 * Times that people mean, as wall times of a zone (Missive's set, which readers know): only those still ahead, each
 * once, in order of time. One that a clock change skips is left out rather than moved.
 */
export function presetsAt(nowMs: number, timeZone: string): Preset[] {
  const now = Temporal.Instant.fromEpochMilliseconds(Math.floor(nowMs)).toZonedDateTimeISO(timeZone);
  const today = now.toPlainDate();
  const daysUntil = (weekday: number) => (weekday - today.dayOfWeek + 7) % 7 || 7;
  const offered: { name: Preset["name"]; date: Temporal.PlainDate; hour: number }[] = [
    { name: "afternoon", date: today, hour: LUNCH },
    { name: "evening", date: today, hour: EVENING },
    { name: "tomorrow", date: today.add({ days: 1 }), hour: MORNING },
    { name: "weekend", date: today.add({ days: daysUntil(SATURDAY) }), hour: WEEKEND_MORNING },
    { name: "nextWeek", date: today.add({ days: daysUntil(MONDAY) }), hour: MORNING },
  ];
  const presets: Preset[] = [];
  for (const { name, date, hour } of offered) {
    const wall = date.toPlainDateTime({ hour });
    const at = wall.toZonedDateTime(timeZone);
    const exists = at.toPlainDateTime().equals(wall);
    const local = wall.toString({ smallestUnit: "minute" });
    const repeated = presets.some((preset) => preset.local === local);
    if (exists && !repeated && at.epochMilliseconds - nowMs >= NEAREST_MS) presets.push({ name, local });
  }
  return presets.sort((one, other) => one.local.localeCompare(other.local));
}

/** Tomorrow at eight, the one snooze that is not counted in minutes. */
export function tomorrowMorning(nowMs: number, timeZone: string): string {
  const now = Temporal.Instant.fromEpochMilliseconds(Math.floor(nowMs)).toZonedDateTimeISO(timeZone);
  const wall = now.toPlainDate().add({ days: 1 }).toPlainDateTime({ hour: MORNING });
  // Where a clock change skips eight o'clock, the clock shows the hour after it.
  return wall.toZonedDateTime(timeZone).toPlainDateTime().toString({ smallestUnit: "minute" });
}
