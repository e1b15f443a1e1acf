import type { ReminderView } from "../../db/reminders/views";
import { wallTimeAt } from "../../db/rules/due-time";
import type { ReminderInput } from "./reminder-form";

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
  };
}
