import { type SQL, sql } from "drizzle-orm";
import { at, ledgerNowMs, rows, type Transaction, transact, uuids } from "../connection";
import { fail, ok, type Result } from "../rules/errors";
import { isId } from "../rules/id";
import type { DeliveryCounts } from "../rules/reminder-words";
import { type ReminderView, selectReminders, toView } from "./views";

/** Which of a shopper's reminders: what is still to come, or what is over. */
export const OVERVIEW_LISTS = ["upcoming", "past"] as const;
export type OverviewList = (typeof OVERVIEW_LISTS)[number];

/** How past reminders can be narrowed down. */
export const PAST_STATUSES = ["sent", "problem", "cancelled"] as const;
export type PastStatus = (typeof PAST_STATUSES)[number];

export interface OverviewInput {
  list: OverviewList;
  /** Only for the past. */
  status?: PastStatus;
  /** Words that title, note or link must hold; empty or absent: any. */
  words?: string;
  cursor?: string;
  limit: number;
}

export interface ReminderOverview extends ReminderView {
  counts: DeliveryCounts;
}

export interface OverviewPage {
  reminders: ReminderOverview[];
  nextCursor: string | null;
  nowMs: number;
}

interface Found {
  id: string;
  dueAtMs: number;
  counts: DeliveryCounts;
}

/** Deliveries of a reminder's latest opened occurrence, counted by where they stand; live ones of any occurrence. */
const COUNTS = sql`(select jsonb_build_object(
    'live', count(*) filter (where d.state in ('scheduled', 'ready', 'sending', 'deferred')),
    'held', count(*) filter (where d.state in ('scheduled', 'deferred')
      and d.last_class in ('quiet_hours', 'sms_hours', 'paused')),
    'delivered', count(*) filter (where d.number = d.latest and d.state = 'delivered'),
    'unknown', count(*) filter (where d.number = d.latest and d.reason = 'outcome_unknown'),
    'dead', count(*) filter (where d.number = d.latest and d.state = 'dead' and d.reason <> 'outcome_unknown'),
    'unsent', count(*) filter (where d.number = d.latest and d.state = 'expired' and d.reason not in ('cancelled', 'superseded')),
    'capped', count(*) filter (where d.number = d.latest and d.state = 'expired' and d.reason = 'capped'),
    'dropped', count(*) filter (where d.number = d.latest and d.reason in ('cancelled', 'superseded')))
  from (select d.state, d.reason, d.last_class, o.number, max(o.number) over () as latest
    from occurrences o join deliveries d on d.occurrence_id = o.id where o.reminder_id = r.id) d)`;

/** Whether something is still to come: an occurrence that waits, or a delivery that lives. */
const UPCOMING = sql`((r.status = 'active' and exists (select from occurrences o where o.reminder_id = r.id
    and o.state = 'waiting')) or r.status = 'paused' or (c.counts ->> 'live')::int > 0)`;

function count(name: keyof DeliveryCounts): SQL {
  return sql`(c.counts ->> ${name})::int`;
}

function statusFilter(status: PastStatus | undefined): SQL {
  switch (status) {
    case undefined:
      return sql`true`;
    case "sent":
      return sql`${count("delivered")} > 0`;
    case "problem":
      return sql`${count("dead")} + ${count("unsent")} + ${count("unknown")} > 0
        or exists (select from occurrences o where o.reminder_id = r.id and o.state = 'missed')`;
    case "cancelled":
      return sql`r.status = 'cancelled'`;
  }
}

/**
 * A page of one shopper's reminders with what became of them: the next first when they are to come, the latest first
 * when they are over. The cursor names the last row seen, so that paging neither skips nor repeats.
 */
export async function listOverview(
  subscriberId: string,
  input: OverviewInput,
): Promise<Result<OverviewPage>> {
  const after = input.cursor === undefined ? null : readCursor(input.cursor);
  if (input.cursor !== undefined && after === null) return fail({ code: "not_found", what: "page" });
  return transact(async (tx) => {
    const found = await findPage(tx, subscriberId, input, after);
    const shown = found.slice(0, input.limit);
    const views = await selectReminders(
      tx,
      { kind: "subscriber", subscriberId },
      sql`r.id = any(${uuids(shown.map((row) => row.id))})`,
    );
    const byId = new Map(views.map((row) => [row.id, toView(row)]));
    const last = shown.at(-1);
    return ok({
      reminders: shown.flatMap(({ id, counts }) => {
        const view = byId.get(id);
        return view === undefined ? [] : [{ ...view, counts }];
      }),
      nextCursor: found.length > input.limit && last !== undefined ? writeCursor(last) : null,
      nowMs: await ledgerNowMs(tx),
    });
  });
}

function findPage(
  tx: Transaction,
  subscriberId: string,
  input: OverviewInput,
  after: Position | null,
): Promise<Found[]> {
  const upcoming = input.list === "upcoming";
  return rows<Found>(
    tx,
    sql`select r.id, epoch_ms(r.due_at) as "dueAtMs", c.counts
      from reminders r cross join lateral (select ${COUNTS} as counts) c
      where r.subscriber_id = ${subscriberId}::uuid and ${upcoming ? UPCOMING : sql`not ${UPCOMING}`}
        and (${statusFilter(upcoming ? undefined : input.status)}) and ${holding(input.words ?? "")}
        and ${after === null ? sql`true` : positionAfter(after, upcoming)}
      order by ${upcoming ? sql`r.due_at, r.id` : sql`r.due_at desc, r.id desc`} limit ${input.limit + 1}`,
  );
}

/** More words than this are no search. */
const WORDS_MAX = 8;

/** Each word somewhere in what the reminder says, whatever its case; `%` and `_` mean themselves. */
function holding(words: string): SQL {
  const wanted = words
    .split(/\s+/)
    .filter((word) => word !== "")
    .slice(0, WORDS_MAX);
  const said = sql`concat_ws(' ', r.title, r.note, r.url)`;
  return wanted.reduce(
    (all, word) => sql`${all} and ${said} ilike ${`%${word.replace(/[\\%_]/g, "\\$&")}%`}`,
    sql`true`,
  );
}

interface Position {
  dueAtMs: number;
  id: string;
}

function positionAfter({ dueAtMs, id }: Position, ascending: boolean): SQL {
  return ascending
    ? sql`(r.due_at, r.id) > (${at(dueAtMs)}, ${id}::uuid)`
    : sql`(r.due_at, r.id) < (${at(dueAtMs)}, ${id}::uuid)`;
}

function writeCursor({ dueAtMs, id }: Position): string {
  return Buffer.from(JSON.stringify([dueAtMs, id])).toString("base64url");
}

function readCursor(cursor: string): Position | null {
  try {
    const [dueAtMs, id] = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8")) as unknown[];
    const usable =
      typeof dueAtMs === "number" && Number.isFinite(dueAtMs) && typeof id === "string" && isId(id);
    return usable ? { dueAtMs, id } : null;
  } catch {
    return null;
  }
}

/** How many reminders a shopper has at all: told apart from a filter that finds none. */
export async function countReminders(subscriberId: string): Promise<number> {
  const [row] = await transact((tx) =>
    rows<{ count: number }>(
      tx,
      sql`select count(*)::int as count from reminders where subscriber_id = ${subscriberId}::uuid`,
    ),
  );
  return row?.count ?? 0;
}
