import { after } from "next/server";
import { cancelReminder } from "../../../../../db/reminders/cancel";
import { editReminder } from "../../../../../db/reminders/edit";
import { readReminder } from "../../../../../db/reminders/read";
import type { ReminderView } from "../../../../../db/reminders/views";
import { editReminderBody } from "../../../../../db/rules/api-schemas";
import { ok } from "../../../../../db/rules/errors";
import { renderForChannels } from "../../../../../inngest/messages/reminder-payloads";
import { ringDoorbell } from "../../../../../inngest/publish";
import { answer, handle, problemAnswer, readBody } from "../../http";

interface Context {
  params: Promise<{ id: string }>;
}

const shown = (view: ReminderView) => ({ ...view, occurrence: view.occurrence.id });

export function GET(request: Request, { params }: Context): Promise<Response> {
  return handle(request, async () => {
    const read = await readReminder({ kind: "shop" }, (await params).id);
    return read.ok ? answer(ok(shown(read.value))) : problemAnswer(read.problem);
  });
}

/** Edits: absent keys stay. From here on only the new version is delivered, once. */
export function PATCH(request: Request, { params }: Context): Promise<Response> {
  return handle(request, async () => {
    const body = await readBody(request, editReminderBody);
    if (!body.ok) return problemAnswer(body.problem);
    const edited = await editReminder(
      { kind: "shop" },
      (await params).id,
      body.value.value,
      renderForChannels,
    );
    if (!edited.ok) return problemAnswer(edited.problem);
    after(ringDoorbell);
    return answer(ok(shown(edited.value)));
  });
}

/** Cancels, and tells the truth per channel: `cancelled`, `too_late` (being sent now), `already_sent`, `already_ended`. */
export function DELETE(request: Request, { params }: Context): Promise<Response> {
  return handle(request, async () => {
    const cancelled = await cancelReminder({ kind: "shop" }, (await params).id);
    if (!cancelled.ok) return problemAnswer(cancelled.problem);
    after(ringDoorbell);
    const { reminder, channels } = cancelled.value;
    return answer(ok({ ...shown(reminder), cancelled: channels }));
  });
}
