import { createHash, randomUUID } from "node:crypto";
import type postgres from "postgres";
import type { Channel } from "../../db/rules/outcome";
import { json, type Stage } from "./stage";

/** A subscriber whom these channels reach, as the shop's backend would have PUT them. */
export type Shopper = { id: string; externalId: string };

/** A reminder that was set. */
export type Made = { id: string; occurrenceId: string; subscriberId: string };

/** A reminder to be set: whose, when, on which channels. */
export type Wanted = { subscriberId: string; dueAtMs: number; channels: readonly Channel[] };

/** Rows per statement: a few megabytes of parameters at most. */
const ROWS_PER_STATEMENT = 5_000;

export async function makeApiKey(sql: postgres.Sql, secret: string): Promise<void> {
  const hash = createHash("sha256").update(secret).digest("hex");
  await sql`insert into api_keys (id, name, prefix, hash, created_at)
    values (${randomUUID()}, 'bench', ${secret.slice(0, 8)}, ${hash}, ledger_now())`;
}

/**
 * Subscribers with verified destinations, by statements that leave what `putSubscriber` leaves. Push devices are made at
 * the stand-in, which holds their keys.
 */
export async function makeShoppers(
  stage: Pick<Stage, "sql" | "standins">,
  count: number,
  channels: readonly Channel[],
): Promise<Shopper[]> {
  const shoppers = Array.from({ length: count }, () => {
    const id = randomUUID();
    return { id, externalId: `bench-${id}` };
  });
  const destinations: object[] = [];
  for (const [index, { id, externalId }] of shoppers.entries()) {
    for (const channel of channels) {
      destinations.push({
        id: randomUUID(),
        subscriberId: id,
        channel,
        ...(await addressOf(stage, channel, externalId, index)),
      });
    }
  }
  for (const part of parts(shoppers)) {
    await stage.sql`insert into subscribers (id, external_id, time_zone, locale, created_at)
      select w.id, w."externalId", 'Europe/Berlin', 'en', ledger_now()
      from jsonb_to_recordset(${stage.sql.json(part)}) as w(id uuid, "externalId" text)`;
  }
  for (const part of parts(destinations)) {
    await stage.sql`insert into destinations
        (id, subscriber_id, channel, address, p256dh, auth, state, verified_at, created_at)
      select w.id, w."subscriberId", w.channel, w.address, w.p256dh, w.auth, 'active', ledger_now(), ledger_now()
      from jsonb_to_recordset(${stage.sql.json(part as never)})
        as w(id uuid, "subscriberId" uuid, channel text, address text, p256dh text, auth text)`;
  }
  return shoppers;
}

async function addressOf(
  stage: Pick<Stage, "standins">,
  channel: Channel,
  externalId: string,
  index: number,
): Promise<object> {
  switch (channel) {
    case "email":
      return { address: `${externalId}@shopper.example` };
    case "sms":
      return { address: `+1202${String(2_000_000 + index)}` };
    case "push": {
      const device = await json<{ endpoint: string; keys: { p256dh: string; auth: string } }>(
        `${stage.standins}/push-devices`,
        { method: "POST", body: "{}" },
      );
      return { address: device.endpoint, ...device.keys };
    }
  }
}

/**
 * Reminders with their first occurrence and the outbox row that arms its wait, by statements that leave what
 * `scheduleReminder` leaves. They are published by the next doorbell (`ringDoorbell`).
 */
export async function makeReminders(stage: Stage, wanted: readonly Wanted[]): Promise<Made[]> {
  const given = wanted.map((one, index) => ({
    ...one,
    dueAtMs: Math.round(one.dueAtMs),
    id: randomUUID(),
    occurrenceId: randomUUID(),
    outboxId: randomUUID(),
    title: `Water plant ${index}`,
    dueSecond: Math.floor(one.dueAtMs / 1000),
    wallTime: new Date(one.dueAtMs).toISOString().slice(0, 16),
  }));
  for (const part of parts(given)) {
    await stage.sql`with w as (
        select w.*, from_epoch_ms(w."dueAtMs") as due, array(select jsonb_array_elements_text(w.channels)) as names
        from jsonb_to_recordset(${stage.sql.json(part)}) as w(id uuid, "occurrenceId" uuid, "outboxId" uuid,
          "subscriberId" uuid, title text, "dueAtMs" float8, "dueSecond" bigint, "wallTime" text, channels jsonb)
      ), r as (
        insert into reminders (id, subscriber_id, title, note, url, wall_time, time_zone, due_at, channels,
          expires_after_seconds, version, status, created_at, updated_at)
        select id, "subscriberId", title, 'The one in the corner wants less than the others.', 'https://shop.example/plants',
          "wallTime", 'UTC', due, names, 86400, 1, 'active', ledger_now(), ledger_now() from w
      ), o as (
        insert into occurrences
          (id, reminder_id, number, origin, wall_time, time_zone, due_at, channels, version, state, created_at)
        select "occurrenceId", id, 1, 'schedule', "wallTime", 'UTC', due, names, 1, 'waiting', ledger_now() from w
      )
      insert into outbox (id, event_name, event_id, data, not_before, created_at)
      select "outboxId", 'reminder/scheduled', 'due:' || "dueSecond" || ':g1',
        jsonb_build_object('v', 1, 'dueSecond', "dueSecond", 'generation', 'g1'), due - interval '5 days', ledger_now()
      from w`;
  }
  // What a large insert leaves the planner to guess, autovacuum tells a running system.
  await stage.sql`analyze`;
  return given;
}

/** One reminder for each of the shoppers, at random instants of the next `seconds` from `startMs` on, published. */
export async function remindAtRandom(
  stage: Stage,
  shoppers: readonly Shopper[],
  when: { startMs: number; seconds: number },
  channels: readonly Channel[],
): Promise<void> {
  await makeReminders(
    stage,
    shoppers.map(({ id }) => ({
      subscriberId: id,
      dueAtMs: when.startMs + Math.random() * when.seconds * 1000,
      channels,
    })),
  );
  await publish(stage, shoppers);
}

/** Publishes what waits in the outbox. */
export async function publish(stage: Stage, shoppers: readonly Shopper[]): Promise<void> {
  const [first] = shoppers;
  if (first !== undefined) await ringDoorbell(stage, first);
}

/** Sets one reminder for next year over HTTP: the doorbell that follows publishes whatever waits in the outbox. */
export async function ringDoorbell(stage: Stage, shopper: Shopper): Promise<void> {
  const dueAt = new Date(Date.now() + 300 * 86_400_000).toISOString();
  await postReminder(stage, {
    subscriber: shopper.externalId,
    title: "Next year",
    dueAt,
    channels: ["email"],
  });
}

export async function postReminder(stage: Stage, body: object): Promise<{ id: string }> {
  return json(`${stage.app}/api/v1/reminders`, {
    method: "POST",
    headers: { authorization: `Bearer ${stage.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

function* parts<T>(rows: readonly T[]): Generator<T[]> {
  for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT)
    yield rows.slice(start, start + ROWS_PER_STATEMENT);
}
