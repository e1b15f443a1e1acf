import { readDeliveries } from "../../../../../../db/reminders/read";
import { ok } from "../../../../../../db/rules/errors";
import { answer, handle, problemAnswer } from "../../../http";

/** What became of a reminder: every delivery with its times, and every call that was made. */
export function GET(request: Request, { params }: { params: Promise<{ id: string }> }): Promise<Response> {
  return handle(request, "reminders", async () => {
    const deliveries = await readDeliveries({ kind: "shop" }, (await params).id);
    return deliveries.ok ? answer(ok({ deliveries: deliveries.value })) : problemAnswer(deliveries.problem);
  });
}
