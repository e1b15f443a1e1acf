import { sql } from "drizzle-orm";
import { at, rows, transact } from "../connection";
import { forecastDeliveries } from "../console/forecast";
import { NEXT_ELIGIBLE_MS } from "../ledger/next-eligible";
import { WEIGHTIEST_RECEIPT } from "../receipts/weightiest";
import { fail, invalid, ok, type Result } from "../rules/errors";
import type { Forecast } from "../rules/forecast";
import { isId } from "../rules/id";
import type { DeliveryState } from "../rules/lifecycle";
import type { Channel } from "../rules/outcome";
import type { ReceiptMeaning } from "../rules/receipt";
import {
  type Owner,
  type ReminderRow,
  type ReminderStatus,
  type ReminderView,
  selectReminders,
  toView,
} from "./views";

export interface ReminderPage {
  reminders: ReminderView[];
  nextCursor: string | null;
}

export interface ListInput {
  externalId?: string;
  status?: ReminderStatus;
  cursor?: string;
  limit: number;
}

/** A page of reminders by due time. The cursor names the last row seen, so that paging neither skips nor repeats. */
export async function listReminders(owner: Owner, input: ListInput): Promise<Result<ReminderPage>> {
  const after = input.cursor === undefined ? null : readCursor(input.cursor);
  if (input.cursor !== undefined && after === null) {
    return invalid("cursor", input.cursor, "the nextCursor of the page before");
  }
  const page = await transact((tx) =>
    selectReminders(
      tx,
      owner,
      sql`${input.externalId === undefined ? sql`true` : sql`s.external_id = ${input.externalId}`}
        and ${input.status === undefined ? sql`true` : sql`r.status = ${input.status}`}
        and ${after === null ? sql`true` : sql`(r.due_at, r.id) > (${at(after.dueAtMs)}, ${after.id}::uuid)`}`,
      sql`order by r.due_at, r.id limit ${input.limit + 1}`,
    ),
  );
  const shown = page.slice(0, input.limit);
  const last = shown.at(-1);
  return ok({
    reminders: shown.map(toView),
    nextCursor: page.length > input.limit && last !== undefined ? writeCursor(last) : null,
  });
}

function writeCursor(row: ReminderRow): string {
  return Buffer.from(JSON.stringify([row.dueAtMs, row.id])).toString("base64url");
}

/** The last instant of a JavaScript date; Postgres holds it too. A cursor beyond it was not written here. */
const LAST_INSTANT_MS = 8.64e15;

function readCursor(cursor: string): { dueAtMs: number; id: string } | null {
  try {
    const [dueAtMs, id] = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8")) as unknown[];
    const isInstant = typeof dueAtMs === "number" && dueAtMs >= 0 && dueAtMs <= LAST_INSTANT_MS;
    return isInstant && typeof id === "string" && isId(id) ? { dueAtMs, id } : null;
  } catch {
    return null;
  }
}

/** One reminder; somebody else's is as absent as a missing one. */
export async function readReminder(owner: Owner, id: string): Promise<Result<ReminderView>> {
  const row = isId(id)
    ? (await transact((tx) => selectReminders(tx, owner, sql`r.id = ${id}::uuid`)))[0]
    : undefined;
  return row === undefined ? fail({ code: "not_found", what: "reminder" }) : ok(toView(row));
}

/** One call that was made for a delivery. */
export interface AttemptView {
  number: number;
  begunAt: string;
  settledAt: string | null;
  class: string | null;
  status: number | null;
  code: string | null;
  retryAfter: string | null;
  detail: string | null;
}

/** A delivery as its owner sees it. `attempts` counts the calls that were begun. */
export interface DeliveryView {
  key: string;
  channel: Channel;
  /** What its owner calls the device; null for email, SMS and unnamed devices. */
  device: string | null;
  occurrence: string;
  version: number;
  state: DeliveryState;
  reason: string | null;
  lastClass: string | null;
  /** The weightiest report of the provider; null when none has come. */
  receipt: ReceiptMeaning | null;
  nextEligibleAt: string | null;
  /** When it is expected to leave, by what stands before it and what closes its provider; null when nobody can know. */
  expectedAt: string | null;
  /** The same at the latest, should the provider slow down once more. */
  expectedBy: string | null;
  scheduledAt: string;
  firstAttemptAt: string | null;
  latestAttemptAt: string | null;
  finishedAt: string | null;
  expiresAt: string;
  attempts: number;
  failures: number;
  throttles: number;
  history: AttemptView[];
}

interface DeliveryRow extends Omit<DeliveryView, DateFields | "history"> {
  id: string;
  nextEligibleAtMs: number | null;
  scheduledAtMs: number;
  firstAttemptAtMs: number | null;
  latestAttemptAtMs: number | null;
  finishedAtMs: number | null;
  expiresAtMs: number;
  history: (Omit<AttemptView, "begunAt" | "settledAt"> & { begunAtMs: number; settledAtMs: number | null })[];
}

type DateFields =
  | "nextEligibleAt"
  | "expectedAt"
  | "expectedBy"
  | "scheduledAt"
  | "firstAttemptAt"
  | "latestAttemptAt"
  | "finishedAt"
  | "expiresAt";

const iso = (ms: number) => new Date(ms).toISOString();
const maybeIso = (ms: number | null) => (ms === null ? null : iso(ms));

/** Everything that became of a reminder: its deliveries, oldest occurrence first, with every call that was made. */
export async function readDeliveries(owner: Owner, id: string): Promise<Result<DeliveryView[]>> {
  const reminder = await readReminder(owner, id);
  if (!reminder.ok) return reminder;
  return transact(async (tx) => {
    const found = await rows<DeliveryRow>(
      tx,
      sql`select d.id, d.key, d.channel, case when d.channel = 'push' then dest.label end as device, d.occurrence_id as occurrence,
          d.version, d.state, d.reason, d.last_class as "lastClass",
          ${WEIGHTIEST_RECEIPT} as receipt, ${NEXT_ELIGIBLE_MS} as "nextEligibleAtMs",
          epoch_ms(d.scheduled_at) as "scheduledAtMs", epoch_ms(d.first_attempt_at) as "firstAttemptAtMs",
          epoch_ms(d.latest_attempt_at) as "latestAttemptAtMs", epoch_ms(d.finished_at) as "finishedAtMs",
          epoch_ms(d.expires_at) as "expiresAtMs", d.attempt_count as attempts, d.failure_count as failures,
          d.throttle_count as throttles,
          coalesce((select jsonb_agg(jsonb_build_object('number', a.number, 'begunAtMs', epoch_ms(a.slot_at), 'settledAtMs',
            epoch_ms(a.settled_at), 'class', a.class, 'status', a.status, 'code', a.code, 'retryAfter', a.retry_after,
            'detail', a.detail) order by a.number) from attempts a where a.delivery_id = d.id), '[]'::jsonb) as history
        from deliveries d join occurrences o on o.id = d.occurrence_id
        left join destinations dest on dest.id = d.destination_id
        where o.reminder_id = ${id}::uuid
        order by o.number, array_position(array['email', 'sms', 'push'], d.channel), d.key`,
    );
    const forecasts = await forecastDeliveries(
      tx,
      found.map((row) => row.id),
    );
    return ok(found.map((row) => toDeliveryView(row, forecasts.get(row.id) ?? null)));
  });
}

function toDeliveryView(row: DeliveryRow, forecast: Forecast | null): DeliveryView {
  const {
    id: _,
    nextEligibleAtMs,
    scheduledAtMs,
    firstAttemptAtMs,
    latestAttemptAtMs,
    finishedAtMs,
    expiresAtMs,
    history,
    ...rest
  } = row;
  return {
    ...rest,
    nextEligibleAt: maybeIso(nextEligibleAtMs),
    expectedAt: maybeIso(forecast?.expectedMs ?? null),
    expectedBy: maybeIso(forecast?.latestMs ?? null),
    scheduledAt: iso(scheduledAtMs),
    firstAttemptAt: maybeIso(firstAttemptAtMs),
    latestAttemptAt: maybeIso(latestAttemptAtMs),
    finishedAt: maybeIso(finishedAtMs),
    expiresAt: iso(expiresAtMs),
    history: history.map(({ begunAtMs, settledAtMs, ...attempt }) => ({
      ...attempt,
      begunAt: iso(begunAtMs),
      settledAt: maybeIso(settledAtMs),
    })),
  };
}
