import { config } from "../../../../../db/config";
import { transact } from "../../../../../db/connection";
import { eraseSubscriber } from "../../../../../db/privacy/erase";
import {
  checkExternalId,
  type PutSubscriberBody,
  putSubscriberBody,
} from "../../../../../db/rules/api-schemas";
import { fail, fieldError, ok, type Result } from "../../../../../db/rules/errors";
import { pushHost } from "../../../../../db/rules/push-endpoint";
import { findSubscriber, putSubscriber, readSubscriber } from "../../../../../db/subscribers";
import { answer, handle, problemAnswer, readBody } from "../../http";

interface Context {
  params: Promise<{ externalId: string }>;
}

/** Creates or changes a subscriber. The shop vouches for what it names in `verified`. */
export function PUT(request: Request, { params }: Context): Promise<Response> {
  return handle(request, "subscribers", async () => {
    const externalId = checkExternalId("externalId", (await params).externalId);
    if (!externalId.ok) return problemAnswer(externalId.problem);
    const body = await readBody(request, putSubscriberBody);
    if (!body.ok) return problemAnswer(body.problem);
    const callable = checkEndpoints(body.value.value.pushSubscriptions ?? []);
    if (!callable.ok) return problemAnswer(callable.problem);
    return answer(await putSubscriber(externalId.value, body.value.value));
  });
}

export function GET(request: Request, { params }: Context): Promise<Response> {
  return handle(request, "subscribers", async () => {
    // What cannot be an id names nobody, and must not reach a column: Postgres refuses NUL.
    const externalId = checkExternalId("externalId", (await params).externalId);
    const found = externalId.ok ? await findSubscriber(externalId.value) : null;
    const view = found === null ? null : await transact((tx) => readSubscriber(tx, found.id));
    return view === null
      ? problemAnswer(fail({ code: "not_found", what: "subscriber" }).problem)
      : answer(ok(view));
  });
}

/** Erases a subscriber; what stays names nobody. Again it is as absent as one that never was. */
export function DELETE(request: Request, { params }: Context): Promise<Response> {
  return handle(request, "privacy", async ({ scope }) => {
    const externalId = checkExternalId("externalId", (await params).externalId);
    const found = externalId.ok ? await findSubscriber(externalId.value) : null;
    if (found === null) return problemAnswer(fail({ code: "not_found", what: "subscriber" }).problem);
    const erased = await eraseSubscriber(found.id, { name: scope, reason: "asked for by the shop" });
    if (!erased.ok) return problemAnswer(erased.problem);
    const { reminders, addresses, ended } = erased.value;
    return answer(ok({ reminders, addresses, ended }));
  });
}

/** Refuses endpoints that our server must not call. They are not repeated: an endpoint is a secret of its device. */
function checkEndpoints(subscriptions: NonNullable<PutSubscriberBody["pushSubscriptions"]>): Result<null> {
  const extraHosts = config().webPush?.extraHosts ?? [];
  const fields = subscriptions.flatMap(({ endpoint }, index) =>
    pushHost(endpoint, extraHosts) === null
      ? [
          fieldError(
            `pushSubscriptions.${index}.endpoint`,
            "(not shown)",
            "an endpoint of a known push service",
          ),
        ]
      : [],
  );
  return fields.length === 0 ? ok(null) : fail({ code: "invalid_input", fields });
}
