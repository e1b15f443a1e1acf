import { after } from "next/server";
import { listReminders } from "../../../../db/reminders/read";
import { scheduleReminder } from "../../../../db/reminders/schedule";
import {
  createReminderBody,
  listRemindersQuery,
  parseBody,
  readQuery,
} from "../../../../db/rules/api-schemas";
import { invalid, ok } from "../../../../db/rules/errors";
import { findSubscriber } from "../../../../db/subscribers";
import { ringDoorbell } from "../../../../inngest/publish";
import { answer, handle, markReplayed, problemAnswer, readBody, readIdempotency } from "../http";
import { showReminder } from "../schemas";

/** Creates a reminder. 201 once it is stored: whether the engine is reachable makes no difference. */
export function POST(request: Request): Promise<Response> {
  return handle(request, "reminders", async (caller) => {
    const body = await readBody(request, createReminderBody);
    if (!body.ok) return problemAnswer(body.problem);
    const idempotency = readIdempotency(request, caller, "reminders", body.value.hash);
    if (!idempotency.ok) return problemAnswer(idempotency.problem);
    const { subscriber: externalId, ...reminder } = body.value.value;
    const subscriber = await findSubscriber(externalId);
    if (subscriber === null) {
      const accepted = "the external id of a subscriber that was PUT before";
      return answer(invalid("subscriber", externalId, accepted));
    }
    const scheduled = await scheduleReminder(
      { owner: { kind: "shop" }, subscriberId: subscriber.id, ...reminder },
      idempotency.value,
    );
    if (!scheduled.ok) return problemAnswer(scheduled.problem);
    after(ringDoorbell);
    const { value, replayed } = scheduled.value;
    const response = answer(ok(showReminder(value)), 201);
    response.headers.set("location", `/api/v1/reminders/${value.id}`);
    return markReplayed(response, replayed);
  });
}

/** Lists reminders of the shop's subscribers, by due time; `?subscriber=&status=&cursor=&limit=`. */
export function GET(request: Request): Promise<Response> {
  return handle(request, "reminders", async () => {
    const query = parseBody(listRemindersQuery, readQuery(new URL(request.url).searchParams));
    if (!query.ok) return problemAnswer(query.problem);
    const { subscriber, ...page } = query.value;
    const listed = await listReminders({ kind: "shop" }, { ...page, externalId: subscriber });
    if (!listed.ok) return problemAnswer(listed.problem);
    const { reminders, nextCursor } = listed.value;
    return answer(ok({ reminders: reminders.map(showReminder), nextCursor }));
  });
}
