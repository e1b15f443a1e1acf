// Before anything of Next: it looks for the store of requests when it is loaded.
import "next/dist/server/node-environment-baseline";
import { createHmac } from "node:crypto";
import { POST } from "../../app/api/v1/shipments/events/route";
import { SIGNATURE_HEADER } from "../../app/api/v1/shipments/signature";
import { resetConfig } from "../../db/config";
import type { RecordedScan } from "../../db/shipments/record";
import { requestScope } from "../support/request-scope";

const SECRET = "a-secret-of-the-webhook";

process.env.AFTERSHIP_WEBHOOK_SECRET = SECRET;
resetConfig();

/** One checkpoint of a parcel, as AfterShip tells it. */
export interface Checkpoint {
  eventId: string;
  /** `<slug>:<tracking number>`. */
  parcel: string;
  tag: string;
  order: string | null;
  occurredAtMs: number;
}

/**
 * AfterShip calls the webhook: the real handler with a signed body, and what it leaves for after the answer. Answers the
 * status: with anything but 200 AfterShip calls again later.
 */
export async function callWebhook(
  checkpoint: Checkpoint,
  onAnswer: (recorded: RecordedScan[]) => void,
): Promise<number> {
  const body = JSON.stringify(bodyOf(checkpoint));
  const signature = createHmac("sha256", SECRET).update(body).digest("base64");
  const request = new Request("http://127.0.0.1:3000/api/v1/shipments/events", {
    ...{ method: "POST", body },
    headers: { "content-type": "application/json", [SIGNATURE_HEADER]: signature },
  });
  const scope = requestScope();
  const response = await scope.run(() => POST(request));
  if (response.status !== 200) return response.status;
  onAnswer(((await response.json()) as { results: RecordedScan[] }).results);
  await scope.close();
  return response.status;
}

function bodyOf({ eventId, parcel, tag, order, occurredAtMs }: Checkpoint) {
  const [slug, number] = parcel.split(":");
  const checkpoint_time = new Date(occurredAtMs).toISOString();
  return {
    ...{ event: "tracking_update", event_id: eventId, ts: occurredAtMs / 1_000 },
    msg: {
      ...{ tracking_number: number, slug, tag, order_id: order },
      checkpoints: [{ checkpoint_time, message: tag }],
    },
  };
}
