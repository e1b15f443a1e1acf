import { sql } from "drizzle-orm";
import { ledgerNowMs, rows, transact } from "../connection";

/** An event that waits to be published, or was. */
export interface OutboxLine {
  id: string;
  eventName: string;
  eventId: string;
  data: unknown;
  notBeforeMs: number;
  createdAtMs: number;
  publishedAtMs: number | null;
  claimedUntilMs: number | null;
  tries: number;
}

export interface OutboxView {
  /** Past their time and not published; at most `LIST_MAX`, the oldest first. */
  overdue: OutboxLine[];
  /** The next that wait for their time. */
  upcoming: OutboxLine[];
  /** The last that the engine took. */
  published: OutboxLine[];
  counts: { overdue: number; upcoming: number };
  nowMs: number;
}

/** As many of each kind as a person looks through. */
const LIST_MAX = 25;

/** Beyond this the answer is "many"; counting on would read what nobody acts on. */
export const OUTBOX_COUNT_MAX = 10_000;

const LINE = sql`id, event_name as "eventName", event_id as "eventId", data, epoch_ms(not_before) as "notBeforeMs",
  epoch_ms(created_at) as "createdAtMs", epoch_ms(published_at) as "publishedAtMs",
  epoch_ms(claimed_until) as "claimedUntilMs", tries`;

/** The outbox as operators look at it: what should have gone, what will go, what went last. */
export async function readOutboxView(): Promise<OutboxView> {
  return transact(async (tx) => {
    const waiting = (due: boolean) =>
      due
        ? sql`published_at is null and not_before <= ledger_now()`
        : sql`published_at is null and not_before > ledger_now()`;
    const list = (due: boolean) =>
      rows<OutboxLine>(
        tx,
        sql`select ${LINE} from outbox where ${waiting(due)} order by not_before, id limit ${LIST_MAX}`,
      );
    const [counts] = await rows<OutboxView["counts"]>(
      tx,
      sql`select
        (select count(*)::int from (select 1 from outbox where ${waiting(true)} limit ${OUTBOX_COUNT_MAX}) c) as overdue,
        (select count(*)::int from (select 1 from outbox where ${waiting(false)} limit ${OUTBOX_COUNT_MAX}) c) as upcoming`,
    );
    const published = await rows<OutboxLine>(
      tx,
      sql`select ${LINE} from outbox where published_at is not null order by published_at desc limit ${LIST_MAX}`,
    );
    return {
      overdue: await list(true),
      upcoming: await list(false),
      published,
      counts: counts ?? { overdue: 0, upcoming: 0 },
      nowMs: await ledgerNowMs(tx),
    };
  });
}
