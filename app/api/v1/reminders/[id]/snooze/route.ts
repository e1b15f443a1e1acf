import { after } from "next/server";
import { snoozeReminder } from "../../../../../../db/reminders/snooze";
import { snoozeBody } from "../../../../../../db/rules/api-schemas";
import { ok } from "../../../../../../db/rules/errors";
import { ringDoorbell } from "../../../../../../inngest/publish";
import { answer, handle, problemAnswer, readBody } from "../../../http";

/** Snoozes by `{minutes}` or to `{dueAt}`: a new occurrence, also when the old one was delivered. */
export function POST(request: Request, { params }: { params: Promise<{ id: string }> }): Promise<Response> {
  return handle(request, async () => {
    const body = await readBody(request, snoozeBody);
    if (!body.ok) return problemAnswer(body.problem);
    const snoozed = await snoozeReminder({ kind: "shop" }, (await params).id, body.value.value);
    if (!snoozed.ok) return problemAnswer(snoozed.problem);
    after(ringDoorbell);
    return answer(ok({ ...snoozed.value, occurrence: snoozed.value.occurrence.id }));
  });
}
