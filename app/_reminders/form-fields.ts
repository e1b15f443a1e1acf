import type { ReminderView } from "../../db/reminders/views";
import { wallTimeAt } from "../../db/rules/due-time";
import type { ReminderInput } from "./reminder-form";
import { fieldsOfRepeat, NO_REPEAT } from "./repeat-input";

/** Long enough to look at a phone, short enough that the thing still matters. */
export const USUAL_STEP_MINUTES = 10;

/** A form that nothing has been said in yet. */
export function emptyFields(timeZone: string): ReminderInput {
  return {
    title: "",
    note: "",
    url: "",
    channels: [],
    choice: "custom",
    date: "",
    time: "",
    timeZone,
    typed: "",
    floating: false,
    throughQuiet: false,
    repeat: NO_REPEAT,
    plan: "all",
    stepMinutes: String(USUAL_STEP_MINUTES),
  };
}

/** A reminder as its form shows it: the wall time in its own zone, to the minute. */
export function fieldsOf(view: ReminderView): ReminderInput {
  const [date = "", time = ""] = wallTimeAt(Date.parse(view.dueAt), view.timeZone).split("T");
  return {
    title: view.title,
    note: view.note ?? "",
    url: view.url ?? "",
    choice: "custom",
    date,
    time: time.slice(0, 5),
    timeZone: view.timeZone,
    channels: [...view.channels],
    typed: "",
    floating: view.floating,
    throughQuiet: view.throughQuietHours,
    repeat: fieldsOfRepeat(view.repeat),
    plan: view.nextChannelAfterMinutes === null ? "all" : "steps",
    stepMinutes: String(view.nextChannelAfterMinutes ?? USUAL_STEP_MINUTES),
  };
}
