import { randomUUID } from "node:crypto";
import type postgres from "postgres";
import type { Channel, Lane } from "../../db/rules/outcome";
import { makeShoppers } from "./load";
import type { Stage } from "./stage";

/** Rows of one partition, as the product would have left them. */
export type Backlog = {
  partition: string;
  channel: Channel;
  lane: Lane;
  /** Waiting for admission, or long delivered with one attempt each. */
  state: "ready" | "delivered";
  count: number;
  /** Subscribers they belong to, in equal parts. */
  owners: number;
};

/** Rows per transaction: a few seconds of work. */
const ROWS_PER_INSERT = 500_000;

/** Finished work lies in the past, as far back as it is kept. */
const KEPT_DAYS = 30;

/** What one email, SMS or push of the backlog says, in the shape that its adapter sends. */
const CONTENT: Record<Channel, object> = {
  email: { subject: "Water plant 1", text: "Water plant 1", html: "<p>Water plant 1</p>" },
  sms: { text: "Water plant 1", segments: 1 },
  push: { title: "Water plant 1", body: "Water plant 1", url: "/reminders" },
};

/**
 * Fills the ledger by set-based inserts, indexes kept up and every CHECK applied. Triggers are off in this one session:
 * they hold each row to its source, of which the rows of one owner share one.
 */
export async function fillLedger(
  stage: Pick<Stage, "standins">,
  sql: postgres.Sql,
  backlog: Backlog,
): Promise<void> {
  const sources = await makeSources(stage, sql, backlog);
  for (let done = 0; done < backlog.count; done += ROWS_PER_INSERT) {
    const count = Math.min(ROWS_PER_INSERT, backlog.count - done);
    await sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`;
      await tx`set local synchronous_commit = off`;
      if (backlog.state === "ready") await insertReady(tx, backlog, sources, count);
      else await insertDelivered(tx, backlog, sources, count);
    });
  }
  await sql`vacuum (analyze) deliveries`;
  await sql`vacuum (analyze) attempts`;
}

type Source = { index: number; subscriberId: string; occurrenceId: string; payloadId: string };

/** One subscriber, reminder, opened occurrence and payload for each owner. */
async function makeSources(
  stage: Pick<Stage, "standins">,
  sql: postgres.Sql,
  { channel, owners }: Backlog,
): Promise<Source[]> {
  const shoppers = await makeShoppers({ sql, standins: stage.standins }, owners, [channel]);
  const sources = shoppers.map(({ id }, index) => ({
    index,
    subscriberId: id,
    reminderId: randomUUID(),
    occurrenceId: randomUUID(),
    payloadId: randomUUID(),
  }));
  await sql`with w as (
      select * from jsonb_to_recordset(${sql.json(sources)}) as w("subscriberId" uuid, "reminderId" uuid, "occurrenceId" uuid, "payloadId" uuid)
    ), r as (
      insert into reminders (id, subscriber_id, title, wall_time, time_zone, due_at, channels, expires_after_seconds,
        version, status, created_at, updated_at)
      select "reminderId", "subscriberId", 'Water plant 1', '2026-01-01T09:00', 'UTC', ledger_now(), array[${channel}],
        86400, 1, 'active', ledger_now(), ledger_now() from w
    ), o as (
      insert into occurrences (id, reminder_id, number, origin, wall_time, time_zone, due_at, channels, version, state,
        opened_at, created_at)
      select "occurrenceId", "reminderId", 1, 'schedule', '2026-01-01T09:00', 'UTC', ledger_now(), array[${channel}], 1,
        'opened', ledger_now(), ledger_now() from w
    )
    insert into payloads (id, source_id, channel, version, content, cost, created_at)
    select "payloadId", "occurrenceId", ${channel}, 1, ${sql.json(CONTENT[channel] as never)}, 1, ledger_now() from w`;
  return sources;
}

async function insertReady(
  tx: postgres.TransactionSql,
  { partition, channel, lane }: Backlog,
  sources: readonly Source[],
  count: number,
): Promise<void> {
  await tx`with s as (${joined(tx, sources)}), made as (
      select s.*, gen_random_uuid() as id, n from generate_series(0, ${count - 1}::int) n
      join s on s.index = n % ${sources.length}
    )
    insert into deliveries (id, key, reference, occurrence_id, subscriber_id, channel, destination_id, partition, lane, flow,
      pass, cost, state, scheduled_at, expires_at, created_at, payload_id, version, owner)
    select m.id, 'reminder:' || m.id || ':' || "occurrenceId" || ':' || "subscriberId" || ':' || ${channel}, md5(m.id::text),
      "occurrenceId", "subscriberId", ${channel}, "destinationId", ${partition}, ${lane}, "subscriberId"::text,
      l.pass_floor + 1 + n / ${sources.length}, 1, 'ready', ledger_now(), ledger_now() + interval '1 day', ledger_now(),
      "payloadId", 1, p.owner
    from made m join partitions p on p.key = ${partition} join lanes l on l.partition = p.key and l.lane = ${lane}`;
}

async function insertDelivered(
  tx: postgres.TransactionSql,
  { partition, channel, lane }: Backlog,
  sources: readonly Source[],
  count: number,
): Promise<void> {
  await tx`with s as (${joined(tx, sources)}), made as (
      select s.*, gen_random_uuid() as id,
        ledger_now() - random() * ${KEPT_DAYS} * interval '1 day' as at
      from generate_series(0, ${count - 1}::int) n join s on s.index = n % ${sources.length}
    ), d as (
      insert into deliveries (id, key, reference, occurrence_id, subscriber_id, channel, destination_id, partition, lane, flow,
        pass, cost, state, last_class, scheduled_at, expires_at, created_at, first_attempt_at, latest_attempt_at, finished_at,
        token, attempt_count, payload_id, version, content_hash, provider_message_id, owner)
      select id, 'reminder:' || id || ':' || "occurrenceId" || ':' || "subscriberId" || ':' || ${channel}, md5(id::text),
        "occurrenceId", "subscriberId", ${channel}, "destinationId", ${partition}, ${lane}, "subscriberId"::text,
        1, 1, 'delivered', 'accepted', at, at + interval '1 day', at, at, at, at,
        1, 1, "payloadId", 1, md5(id::text), id::text, 1
      from made
    )
    insert into attempts (id, delivery_id, number, token, run_id, epoch, slot_at, begun_at, settled_at, class, status,
      provider_message_id, call_ms)
    select gen_random_uuid(), id, 1, 1, 'run', 1, at, at, at, 'accepted', 200, id::text, 20 from made`;
}

function joined(tx: postgres.TransactionSql, sources: readonly Source[]) {
  return tx`select w.*, d.id as "destinationId"
    from jsonb_to_recordset(${tx.json(sources as never)}) as w(index int, "subscriberId" uuid, "occurrenceId" uuid, "payloadId" uuid)
    join destinations d on d.subscriber_id = w."subscriberId"`;
}
