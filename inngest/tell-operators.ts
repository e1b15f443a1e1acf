import { config } from "../db/config";
import { effects } from "../db/effects";
import { markTold, readUntoldNotices, type UntoldNotice } from "../db/operator-notices";
import { log } from "./log";

/** A webhook that does not answer within this has not taken the notice; the next sweep tells it again. */
const WEBHOOK_DEADLINE_MS = 5_000;

/**
 * Tells operators what needs them, once per notice: by `OPERATOR_WEBHOOK_URL` where it is set, and always as an error in
 * the log. Never through the partition that the notice is about. A webhook that refuses leaves the notice untold.
 */
export async function tellOperators(): Promise<number> {
  const notices = await readUntoldNotices();
  const told: string[] = [];
  for (const notice of notices) {
    if (await deliver(notice)) told.push(notice.id);
  }
  await markTold(told);
  return told.length;
}

async function deliver(notice: UntoldNotice): Promise<boolean> {
  const { partition, kind, detail } = notice;
  const url = config().operatorWebhookUrl;
  if (url !== null && !(await tellWebhook({ ...notice, text: sentence(notice) }))) return false;
  log.error(sentence(notice), { partition, kind, detail });
  return true;
}

/** Posts a notice to `OPERATOR_WEBHOOK_URL`; false when there is none or it did not take the notice. */
export async function tellWebhook(body: object): Promise<boolean> {
  const url = config().operatorWebhookUrl;
  if (url === null) return false;
  try {
    const response = await effects.fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      redirect: "manual",
      signal: effects.deadline(WEBHOOK_DEADLINE_MS),
    });
    // Nothing of it is read, however much it is.
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

function sentence({ partition, kind, detail }: UntoldNotice): string {
  switch (kind) {
    case "quota":
      return `${partition} is parked: the provider's quota is used up (${detail}); one probe every half hour`;
    case "config_rejected":
      return `${partition} is held: the provider refuses our key, domain or account (${detail}); repair it, then resume`;
  }
}
