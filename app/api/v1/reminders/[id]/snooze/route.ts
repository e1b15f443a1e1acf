import { after } from "next/server";
import { snoozeReminderOnce } from "../../../../../../db/reminders/snooze";
import { snoozeBody } from "../../../../../../db/rules/api-schemas";
import { ok } from "../../../../../../db/rules/errors";
import { ringDoorbell } from "../../../../../../inngest/publish";
import { answer, handle, markReplayed, problemAnswer, readBody, readIdempotency } from "../../../http";
import { showReminder } from "../../../schemas";

/** Snoozes by `{minutes}` or to `{dueAt}`: a new occurrence, also when the old one was delivered. */
export function POST(request: Request, { params }: { params: Promise<{ id: string }> }): Promise<Response> {
  return handle(request, "reminders", async (caller) => {
    const body = await readBody(request, snoozeBody);
    if (!body.ok) return problemAnswer(body.problem);
    const id = (await params).id.toLowerCase();
    const idempotency = readIdempotency(request, caller, `reminders/${id}/snooze`, body.value.hash);
    if (!idempotency.ok) return problemAnswer(idempotency.problem);
    const snoozed = await snoozeReminderOnce({ kind: "shop" }, id, body.value.value, idempotency.value);
    if (!snoozed.ok) return problemAnswer(snoozed.problem);
    after(ringDoorbell);
    const { value, replayed } = snoozed.value;
    return markReplayed(answer(ok(showReminder(value))), replayed);
  });
}
