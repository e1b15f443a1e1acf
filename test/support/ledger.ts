import { createHash, randomUUID } from "node:crypto";
import { asc, eq, sql } from "drizzle-orm";
import { database, rows } from "../../db/connection";
import { type Claim, type ClaimGroupInput, type ClaimGroupOutcome, claimGroup } from "../../db/ledger/begin";
import { recoverLeases } from "../../db/ledger/recover";
import { type SettledCall, type SettleOutcome, settleAttempts } from "../../db/ledger/settle";
import { storePayloads } from "../../db/payloads";
import type { Outcome } from "../../db/rules/outcome";
import * as schema from "../../db/schema";
import { type DeliveryRow, makeReminder, type OccurrenceRow } from "./factories";
import { testClock } from "./test-clock";

/** What the ledger says, and its verbs with everything filled in that a test does not care about. */
export async function readDelivery(id: string): Promise<DeliveryRow> {
  const [row] = await database().select().from(schema.deliveries).where(eq(schema.deliveries.id, id));
  if (row === undefined) throw new Error(`no delivery ${id}`);
  return row;
}

export function readAttempts(deliveryId: string) {
  return database()
    .select()
    .from(schema.attempts)
    .where(eq(schema.attempts.deliveryId, deliveryId))
    .orderBy(asc(schema.attempts.number));
}

export async function readDestination(id: string | null) {
  const { destinations } = schema;
  const [row] = await database()
    .select()
    .from(destinations)
    .where(eq(destinations.id, id ?? ""));
  return row ?? null;
}

/** A reminder's occurrences, oldest first. */
export const occurrencesOf = (reminderId: string) =>
  database()
    .select()
    .from(schema.occurrences)
    .where(eq(schema.occurrences.reminderId, reminderId))
    .orderBy(asc(schema.occurrences.number));

export const deliveriesOf = (occurrenceId: string) =>
  database()
    .select()
    .from(schema.deliveries)
    .where(eq(schema.deliveries.occurrenceId, occurrenceId))
    .orderBy(asc(schema.deliveries.channel), asc(schema.deliveries.key));

/** What this delivery would send. */
export async function contentOf(deliveryId: string): Promise<unknown> {
  const { payloadId } = await readDelivery(deliveryId);
  const { payloads } = schema;
  const [payload] = await database()
    .select()
    .from(payloads)
    .where(eq(payloads.id, payloadId ?? ""));
  return payload?.content ?? null;
}

export async function readPartitionRow(key: string) {
  const [row] = await database().select().from(schema.partitions).where(eq(schema.partitions.key, key));
  if (row === undefined) throw new Error(`no partition ${key}`);
  return row;
}

export async function readMeter(key: string) {
  const [row] = await database().select().from(schema.meters).where(eq(schema.meters.key, key));
  if (row === undefined) throw new Error(`no meter ${key}`);
  return row;
}

export const readOutbox = (eventName: string) =>
  database().select().from(schema.outbox).where(eq(schema.outbox.eventName, eventName));

/** Puts rows under an admission that lasts another half minute, as `admit` does. Returns its id. */
export async function admitRows(
  deliveryIds: readonly string[],
  admissionId: string = randomUUID(),
): Promise<string> {
  await rows(
    database(),
    sql`update deliveries set admission_id = ${admissionId}::uuid, admitted_at = ledger_now(),
        admitted_until = greatest(ledger_now(), coalesce(next_eligible_at, ledger_now())) + interval '30 seconds'
      where id = any(string_to_array(${deliveryIds.join(",")}, ',')::uuid[])`,
  );
  return admissionId;
}

export interface ClaimOptions extends Partial<Omit<ClaimGroupInput, "deliveryIds">> {
  deliveryIds?: string[];
}

/** Claims these rows of one partition for `run-1`. */
export function claim(
  deliveries: readonly DeliveryRow[],
  options: ClaimOptions = {},
): Promise<ClaimGroupOutcome> {
  const [first] = deliveries;
  return claimGroup({
    partition: first?.partition ?? "",
    channel: first?.channel ?? "email",
    deliveryIds: deliveries.map((row) => row.id),
    runId: "run-1",
    hashContent: (row) => createHash("sha256").update(JSON.stringify(row)).digest("hex"),
    ...options,
  });
}

/** Claims one row that must go. */
export async function begin(delivery: DeliveryRow, options: ClaimOptions = {}): Promise<Claim> {
  const { begun, ...rest } = await claim([delivery], options);
  const [first] = begun;
  if (first === undefined) throw new Error(`not begun: ${JSON.stringify(rest)}`);
  return first;
}

export const ACCEPTED: Outcome = { class: "accepted", providerMessageId: "msg-1" };

/** How a call of this claim ended. */
export function ended(claimed: Claim, outcome: Outcome, more: Partial<SettledCall> = {}): SettledCall {
  const { attemptId, deliveryId, token, epoch } = claimed;
  return {
    attemptId,
    deliveryId,
    token,
    epoch,
    outcome,
    status: outcome.class === "accepted" ? 200 : 500,
    code: null,
    retryAfterRaw: null,
    detail: null,
    observedRatePerSecond: null,
    callMs: 80,
    ...more,
  };
}

export function settle(
  claimed: Claim,
  outcome: Outcome,
  more: Partial<SettledCall> = {},
): Promise<SettleOutcome> {
  return settleAttempts(claimed.partition, [ended(claimed, outcome, more)]);
}

/** Renders what `openDeliveries` needs: every channel in the occurrence's version. */
export async function renderPayloads(occurrence: Pick<OccurrenceRow, "id" | "version">): Promise<void> {
  const { id, version } = occurrence;
  const channels = ["email", "sms", "push"] as const;
  await storePayloads(
    channels.map((channel) => ({ sourceId: id, channel, version, content: { channel, version }, cost: 1 })),
  );
}

/** A rendered reminder that is due now. */
export async function makeDue(options: Parameters<typeof makeReminder>[0] = {}) {
  const made = await makeReminder({ dueInMs: 0, ...options });
  await renderPayloads(made.occurrence);
  return made;
}

/** Lets the lease of this row pass and recovers it, as a sweep does after a crash. */
export async function expireLease(deliveryId: string): Promise<void> {
  const leaseUntil = (await readDelivery(deliveryId)).leaseUntil;
  if (leaseUntil === null) throw new Error("there is no lease");
  await testClock.set(Math.max(testClock.nowMs(), leaseUntil.getTime()));
  await recoverLeases({ partition: null, limit: 100 });
}
