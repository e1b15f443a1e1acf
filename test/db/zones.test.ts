import { sql } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import { admit } from "../../db/admission/admit";
import { readPartition } from "../../db/admission/partitions";
import { restPump } from "../../db/admission/pump";
import { closeDatabase, database, ledgerNowMs, rows } from "../../db/connection";
import { readDue } from "../../db/ledger/due";
import { openDeliveries } from "../../db/ledger/open";
import { claimUnpublished } from "../../db/outbox";
import { editReminder } from "../../db/reminders/edit";
import { listReminders, readDeliveries } from "../../db/reminders/read";
import { scheduleReminder } from "../../db/reminders/schedule";
import { snoozeReminder } from "../../db/reminders/snooze";
import { upcomingDueSeconds } from "../../db/sweeps";
import { testClock } from "../support/database";
import { emptyLedger, makeShopper } from "../support/factories";
import { ACCEPTED, begin, readDelivery, renderPayloads, settle } from "../support/ledger";

const SHOP = { kind: "shop" } as const;

/** New York puts its clocks forward on 8 March 2026 at 02:00: the reminder is due half an hour after that. */
const DUE = { local: "2026-03-08T03:30", timeZone: "America/New_York" };

type Options = { connection: { TimeZone?: string } };

/** Lets process, database and session read clocks in these zones from now on. */
async function setZones(processZone: string, databaseZone: string): Promise<void> {
  process.env.TZ = processZone;
  const [name] = await rows<{ name: string }>(database(), sql`select current_database() as name`);
  await rows(
    database(),
    sql`alter database ${sql.identifier(name?.name ?? "")} set timezone to ${sql.raw(`'${databaseZone}'`)}`,
  );
  await closeDatabase();
  // The pool asks for UTC; a pooler in between may not pass that on.
  const client = (database() as unknown as { $client: { options: Options } }).$client;
  client.options.connection.TimeZone = databaseZone;
}

afterAll(async () => {
  delete process.env.TZ;
  await closeDatabase();
});

/** A reminder's whole life; every instant that any of it shows, ids left out. */
async function live(): Promise<unknown[]> {
  await emptyLedger();
  await testClock.set(Date.UTC(2026, 2, 8, 7, 29, 57));
  const seen: unknown[] = [await ledgerNowMs(database())];
  const subscriber = await makeShopper({
    channels: ["email", "sms"],
    timeZone: "Asia/Kolkata",
    quietFrom: "12:45",
    quietUntil: "13:15",
  });
  const scheduled = await scheduleReminder({
    ...{ owner: SHOP, subscriberId: subscriber.id, title: "Clocks", note: null, url: null },
    ...{ dueAt: DUE, channels: ["email", "sms"], expiresAfterSeconds: 3600 },
  });
  if (!scheduled.ok) throw new Error(JSON.stringify(scheduled.problem));
  const { id, occurrence, dueAt, timeZone } = scheduled.value.value;
  seen.push(dueAt, timeZone, occurrence.dueAt);
  seen.push(...(await claimUnpublished(9)).map((row) => [row.eventId, row.data]));
  seen.push(await upcomingDueSeconds(10_000, 9));
  const due = await readDue({ fromMs: Date.parse(dueAt), untilMs: Date.parse(dueAt) + 1000, limit: 9 });
  seen.push(due.map((row) => row.dueAtMs));
  await renderPayloads({ id: occurrence.id, version: 1 });
  await openDeliveries([occurrence.id]);
  seen.push(...(await told(id)));
  const [held] = await rows<{ partition: string }>(
    database(),
    sql`select partition from deliveries where channel = 'email'`,
  );
  const partition = held?.partition ?? "";
  await testClock.set(Date.UTC(2026, 2, 8, 7, 45));
  const { parcels, promoted } = await admit(partition);
  seen.push(promoted, parcels.length, await restPump({ partition, generation: 1 }));
  const claimed = await begin(await readDelivery(parcels[0]?.deliveryIds[0] ?? ""));
  seen.push(claimed.slotInMs, claimed.leaseInMs, claimed.expiresInSeconds);
  await settle(claimed, { class: "ambiguous" });
  // The next time carries jitter, a hash of ids that differ.
  seen.push(...(await told(id)).map((row) => ({ ...row, nextEligibleAt: null, expectedAt: null })));
  seen.push((await readPartition(database(), partition))?.meter);
  await settle(claimed, ACCEPTED);
  const edited = await editReminder(
    SHOP,
    id,
    { dueAt: { local: "2026-11-01T01:30", timeZone: "America/New_York" } },
    async () => [],
  );
  seen.push(edited.ok && [edited.value.dueAt, edited.value.occurrence.dueAt]);
  const snoozed = await snoozeReminder(SHOP, id, { minutes: 30 });
  seen.push(snoozed.ok && [snoozed.value.dueAt, snoozed.value.timeZone]);
  const page = await listReminders(SHOP, { limit: 1 });
  seen.push(page.ok && page.value.reminders.map((view) => [view.dueAt, view.createdAt, view.updatedAt]));
  return seen;
}

async function told(id: string) {
  const read = await readDeliveries(SHOP, id);
  if (!read.ok) throw new Error(JSON.stringify(read.problem));
  return read.value.map(
    ({ channel, state, scheduledAt, nextEligibleAt, expectedAt, expiresAt, firstAttemptAt, history }) => ({
      ...{ channel, state, scheduledAt, nextEligibleAt, expectedAt, expiresAt, firstAttemptAt },
      history: history.map((attempt) => [attempt.begunAt, attempt.settledAt]),
    }),
  );
}

test("a reminder lives the same life in any zone of process, database and session, over a change of clocks", async () => {
  const expected = await live();
  // 03:30 in New York is 07:30 in UTC that morning; in Kolkata it is 13:00, quiet until 13:15.
  expect(expected.slice(0, 4)).toEqual([
    Date.UTC(2026, 2, 8, 7, 29, 57),
    "2026-03-08T07:30:00.000Z",
    "America/New_York",
    "2026-03-08T07:30:00.000Z",
  ]);
  expect(JSON.stringify(expected)).toContain('"nextEligibleAt":"2026-03-08T07:45:00.000Z"');
  for (const [processZone, databaseZone] of [
    ["Asia/Tokyo", "America/New_York"],
    ["America/St_Johns", "Pacific/Apia"],
    ["UTC", "Europe/Dublin"],
  ] as const) {
    await setZones(processZone, databaseZone);
    expect(new Date(0).getTimezoneOffset() === 0).toBe(processZone === "UTC");
    const [session] = await rows<{ zone: string }>(
      database(),
      sql`select current_setting('TimeZone') as zone`,
    );
    expect(session?.zone).toBe(databaseZone);
    expect(await live(), `${processZone}, ${databaseZone}`).toEqual(expected);
  }
});
