import { after } from "next/server";
import { cancelReminder } from "../../../../../db/reminders/cancel";
import { editReminder } from "../../../../../db/reminders/edit";
import { readReminder } from "../../../../../db/reminders/read";
import { editReminderBody } from "../../../../../db/rules/api-schemas";
import { ok } from "../../../../../db/rules/errors";
import { renderForChannels } from "../../../../../inngest/messages/reminder-payloads";
import { ringDoorbell } from "../../../../../inngest/publish";
import { answer, handle, problemAnswer, readBody } from "../../http";
import { showCancelled, showReminder } from "../../schemas";

interface Context {
  params: Promise<{ id: string }>;
}

export function GET(request: Request, { params }: Context): Promise<Response> {
  return handle(request, "reminders", async () => {
    const read = await readReminder({ kind: "shop" }, (await params).id);
    return read.ok ? answer(ok(showReminder(read.value))) : problemAnswer(read.problem);
  });
}

/** Edits: absent keys stay. From here on only the new version is delivered, once. */
export function PATCH(request: Request, { params }: Context): Promise<Response> {
  return handle(request, "reminders", async () => {
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
    return answer(ok(showReminder(edited.value)));
  });
}

/** Cancels, and tells the truth per channel. Repeating it changes nothing. */
export function DELETE(request: Request, { params }: Context): Promise<Response> {
  return handle(request, "reminders", async () => {
    const cancelled = await cancelReminder({ kind: "shop" }, (await params).id);
    if (!cancelled.ok) return problemAnswer(cancelled.problem);
    after(ringDoorbell);
    return answer(ok(showCancelled(cancelled.value)));
  });
}
