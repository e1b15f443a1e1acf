import { after } from "next/server";
import { transact } from "../../../../db/connection";
import { openAccountNotice } from "../../../../db/notices";
import { invalid, ok } from "../../../../db/rules/errors";
import { noticeBody } from "../../../../db/rules/notice-schemas";
import { findSubscriber, readSubscriber } from "../../../../db/subscribers";
import { dispatchAll } from "../../../../inngest/dispatch";
import { renderAccountNotice } from "../../../../inngest/messages/account-notice";
import { answer, handle, markReplayed, problemAnswer, readBody, readIdempotency } from "../http";

/** Sends a password reset, a fraud alert or a notice about the account in the urgent lane. 201 once it is stored. */
export function POST(request: Request): Promise<Response> {
  return handle(request, "notices", async (caller) => {
    const body = await readBody(request, noticeBody);
    if (!body.ok) return problemAnswer(body.problem);
    const idempotency = readIdempotency(request, caller, "notices", body.value.hash);
    if (!idempotency.ok) return problemAnswer(idempotency.problem);
    const { subscriber: externalId, template, channels, detail, url, expiresAfterSeconds } = body.value.value;
    const found = await findSubscriber(externalId);
    const subscriber = found === null ? null : await transact((tx) => readSubscriber(tx, found.id));
    if (subscriber === null) {
      return answer(invalid("subscriber", externalId, "the external id of a subscriber that was PUT before"));
    }
    const texts = { template, detail: detail ?? "", url: url ?? null, locale: subscriber.locale };
    const opened = await openAccountNotice(
      {
        subscriberId: subscriber.id,
        template,
        channels,
        usefulSeconds: expiresAfterSeconds,
        contents: await renderAccountNotice(texts, channels),
      },
      idempotency.value,
    );
    if (!opened.ok) return problemAnswer(opened.problem);
    const { value, replayed } = opened.value;
    after(() => dispatchAll(value.partitions));
    return markReplayed(answer(ok({ id: value.id, deliveries: value.deliveries.length }), 201), replayed);
  });
}
