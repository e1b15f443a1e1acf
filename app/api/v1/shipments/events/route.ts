import { createHash } from "node:crypto";
import { after } from "next/server";
import { effects } from "../../../../../db/effects";
import type { IdempotencyClaim } from "../../../../../db/idempotency";
import { readAftership } from "../../../../../db/rules/aftership";
import { ok, type Result } from "../../../../../db/rules/errors";
import { parseBody } from "../../../../../db/rules/parse-body";
import { eventsSchema, type ShipmentEventBody } from "../../../../../db/rules/shipment-schemas";
import { recordScans, type ScanSource } from "../../../../../db/shipments/record";
import { ringDoorbell } from "../../../../../inngest/publish";
import { readText } from "../../body";
import {
  answer,
  authenticate,
  guard,
  markReplayed,
  parseJson,
  problemAnswer,
  readIdempotency,
} from "../../http";
import { SIGNATURE_HEADER, verifySignature } from "../signature";

/** A thousand scans of a kilobyte each. */
const BODY_BYTES_MAX = 1024 * 1024;

interface Scans {
  source: ScanSource;
  scans: ShipmentEventBody[];
  idempotency: IdempotencyClaim | null;
}

/**
 * Records scans: one or up to a thousand in the canonical form with an API key, or AfterShip's webhook body with its
 * signature. 200 once they are stored, whether or not the engine can be reached.
 */
export function POST(request: Request): Promise<Response> {
  return guard(request, async () => {
    const read = request.headers.has(SIGNATURE_HEADER) ? await fromWebhook(request) : await fromShop(request);
    if (!read.ok) return problemAnswer(read.problem);
    const { source, scans, idempotency } = read.value;
    const recorded = await recordScans(source, scans, idempotency);
    if (!recorded.ok) return problemAnswer(recorded.problem);
    const { value: results, replayed } = recorded.value;
    if (results.some((result) => result.outcome === "announced")) after(ringDoorbell);
    return markReplayed(answer(ok({ results })), replayed);
  });
}

async function fromShop(request: Request): Promise<Result<Scans>> {
  const caller = await authenticate(request, "shipments");
  if (!caller.ok) return caller;
  const text = await readText(request, BODY_BYTES_MAX);
  if (!text.ok) return text;
  const json = parseJson(text.value);
  if (!json.ok) return json;
  const parsed = parseBody(eventsSchema(json.value), json.value);
  if (!parsed.ok) return parsed;
  const hash = createHash("sha256").update(text.value).digest("hex");
  const idempotency = readIdempotency(request, caller.value, "shipments/events", hash);
  if (!idempotency.ok) return idempotency;
  return ok({ source: "shop", scans: parsed.value, idempotency: idempotency.value });
}

async function fromWebhook(request: Request): Promise<Result<Scans>> {
  const text = await readText(request, BODY_BYTES_MAX);
  if (!text.ok) return text;
  const signed = verifySignature(text.value, request.headers.get(SIGNATURE_HEADER));
  if (!signed.ok) return signed;
  const json = parseJson(text.value);
  if (!json.ok) return json;
  const scan = readAftership(json.value, effects.wallMs());
  if (!scan.ok) return scan;
  return ok({ source: "aftership", scans: scan.value === null ? [] : [scan.value], idempotency: null });
}
