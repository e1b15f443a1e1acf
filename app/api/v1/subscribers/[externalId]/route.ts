import { config } from "../../../../../db/config";
import { transact } from "../../../../../db/connection";
import { checkExternalId, putSubscriberBody } from "../../../../../db/rules/api-schemas";
import { fail, invalid, ok } from "../../../../../db/rules/errors";
import { pushHost } from "../../../../../db/rules/push-endpoint";
import { findSubscriber, putSubscriber, readSubscriber } from "../../../../../db/subscribers";
import { answer, handle, problemAnswer, readBody } from "../../http";

interface Context {
  params: Promise<{ externalId: string }>;
}

/** Creates or changes a subscriber. The shop vouches for what it names in `verified`. */
export function PUT(request: Request, { params }: Context): Promise<Response> {
  return handle(request, async () => {
    const externalId = checkExternalId("externalId", decodeURIComponent((await params).externalId));
    if (!externalId.ok) return problemAnswer(externalId.problem);
    const body = await readBody(request, putSubscriberBody);
    if (!body.ok) return problemAnswer(body.problem);
    const extraHosts = config().webPush?.extraHosts ?? [];
    const refused = (body.value.value.pushSubscriptions ?? []).findIndex(
      ({ endpoint }) => pushHost(endpoint, extraHosts) === null,
    );
    if (refused >= 0) {
      return answer(
        invalid(
          `pushSubscriptions.${refused}.endpoint`,
          "(not shown)",
          "an endpoint of a known push service",
        ),
      );
    }
    const stored = await putSubscriber(externalId.value, body.value.value);
    return stored.ok ? answer(ok(stored.value)) : problemAnswer(stored.problem);
  });
}

export function GET(request: Request, { params }: Context): Promise<Response> {
  return handle(request, async () => {
    const found = await findSubscriber(decodeURIComponent((await params).externalId));
    const view = found === null ? null : await transact((tx) => readSubscriber(tx, found.id));
    return view === null
      ? problemAnswer(fail({ code: "not_found", what: "subscriber" }).problem)
      : answer(ok(view));
  });
}
