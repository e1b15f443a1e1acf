import { exportSubscriber } from "../../../../../../db/privacy/export";
import { checkExternalId } from "../../../../../../db/rules/api-schemas";
import { fail } from "../../../../../../db/rules/errors";
import { findSubscriber } from "../../../../../../db/subscribers";
import { answer, handle, problemAnswer } from "../../../http";

/** Everything that is kept about a subscriber, for the shop to hand on to them. */
export function GET(
  request: Request,
  { params }: { params: Promise<{ externalId: string }> },
): Promise<Response> {
  return handle(request, "privacy", async () => {
    const externalId = checkExternalId("externalId", (await params).externalId);
    const found = externalId.ok ? await findSubscriber(externalId.value) : null;
    if (found === null) return problemAnswer(fail({ code: "not_found", what: "subscriber" }).problem);
    return answer(await exportSubscriber(found.id));
  });
}
