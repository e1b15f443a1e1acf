import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { database, rows } from "../../../db/connection";
import { KEY_PROTECTION_MS } from "../../../db/rules/repeat-policy";
import { RECONCILE_AFTER_MS } from "../../../db/rules/retry-policy";
import { testClock } from "../../support/database";
import {
  type DeliveryOptions,
  type DeliveryRow,
  emptyLedger,
  inMs,
  makeDelivery,
  setMeter,
  setPartition,
} from "../../support/factories";
import { admitRows, claim, readDelivery, readOutbox } from "../../support/ledger";

beforeEach(emptyLedger);

/** A delivery under an admission. */
async function makeAdmitted(options: DeliveryOptions = {}): Promise<DeliveryRow> {
  const row = await makeDelivery(options);
  await admitRows([row.id]);
  return readDelivery(row.id);
}

const UNTOUCHED = { state: "ready", token: 0, attemptCount: 0 };
const GIVEN_BACK = { admissionId: null, admittedUntil: null, keptBy: null, keptUntil: null };

describe("P3, P6: nothing begins through a closed gate, and its admission is given up", () => {
  const gates: [string, (partition: string) => Promise<unknown>, string][] = [
    ["the provider's", (key) => setMeter(key, { blockedUntil: inMs(1) }), "blocked"],
    ["a pause", (key) => setPartition(key, { pausedBy: "ops", pausedAt: inMs(0) }), "paused"],
    ["rate zero", (key) => setPartition(key, { ceiling: 0 }), "rate_zero"],
    [
      "an open circuit",
      (key) => setPartition(key, { circuit: "open", circuitProbeAt: inMs(1) }),
      "circuit_open",
    ],
    ["a parked account", (key) => setPartition(key, { parkedUntil: inMs(1) }), "parked"],
    ["a held ledger", () => rows(database(), sql`update ledger_state set mode = 'held'`), "held"],
    ["another generation", () => rows(database(), sql`update ledger_state set generation = 'g2'`), "held"],
  ];

  test.each(gates)("%s", async (_name, close, why) => {
    const row = await makeAdmitted();
    try {
      await close(row.partition ?? "");
      const outcome = await claim([row]);
      expect(outcome).toMatchObject({
        begun: [],
        refused: [{ deliveryId: row.id, reason: "gate" }],
        gate: { why },
      });
      expect(await readDelivery(row.id)).toMatchObject({ ...UNTOUCHED, ...GIVEN_BACK });
    } finally {
      await rows(database(), sql`update ledger_state set mode = 'sending', generation = 'g1'`);
    }
  });
});

describe("what is no longer wanted ends at the claim", () => {
  const endings: [string, (row: DeliveryRow) => ReturnType<typeof sql>, string][] = [
    [
      "a cancelled occurrence",
      (row) =>
        sql`update occurrences set state = 'cancelled', opened_at = null where id = ${row.occurrenceId}::uuid`,
      "cancelled",
    ],
    [
      "a newer version of its occurrence",
      (row) => sql`update occurrences set version = 2 where id = ${row.occurrenceId}::uuid`,
      "superseded",
    ],
    [
      "an address that said stop",
      (row) => sql`update destinations set state = 'suppressed' where id = ${row.destinationId}::uuid`,
      "opted_out",
    ],
    [
      "a device that is gone",
      (row) => sql`update destinations set state = 'retired' where id = ${row.destinationId}::uuid`,
      "no_destination",
    ],
    [
      "an address no longer proved",
      (row) => sql`update destinations set verified_at = null where id = ${row.destinationId}::uuid`,
      "no_destination",
    ],
    [
      "content that is wiped",
      (row) =>
        sql`update payloads set content = null, wiped_at = ledger_now() where id = ${row.payloadId}::uuid`,
      "past_deadline",
    ],
    [
      "a channel that is switched off",
      (row) => sql`insert into preferences (subscriber_id, topic, channel, enabled, updated_at)
        values (${row.subscriberId}::uuid, 'reminders', 'email', false, ledger_now())`,
      "preference",
    ],
  ];

  test.each(endings)("%s", async (_name, change, reason) => {
    const row = await makeAdmitted();
    await database().transaction(async (tx) => {
      await rows(tx, sql`set local session_replication_role = replica`);
      await rows(tx, change(row));
    });
    expect((await claim([row])).refused).toEqual([{ deliveryId: row.id, reason: "ended" }]);
    expect(await readDelivery(row.id)).toMatchObject({
      ...GIVEN_BACK,
      state: "expired",
      reason,
      attemptCount: 0,
      finishedAt: inMs(0),
    });
  });

  test("its deadline, to the millisecond", async () => {
    const row = await makeAdmitted({ expiresAt: inMs(1000) });
    await testClock.advance(1000);
    expect((await claim([row])).refused).toEqual([{ deliveryId: row.id, reason: "ended" }]);
    expect(await readDelivery(row.id)).toMatchObject({ state: "expired", reason: "past_deadline" });
  });

  test("quiet hours that began meanwhile hold it until they end", async () => {
    const row = await makeAdmitted({ expiresAt: inMs(3 * 86_400_000) });
    await rows(
      database(),
      sql`update subscribers set quiet_from = '12:00', quiet_until = '14:00', time_zone = 'UTC' where id = ${row.subscriberId}::uuid`,
    );
    await testClock.set(Date.UTC(2026, 2, 3, 12, 30));
    expect((await claim([row])).refused).toEqual([{ deliveryId: row.id, reason: "held" }]);
    expect(await readDelivery(row.id)).toMatchObject({
      ...GIVEN_BACK,
      state: "scheduled",
      lastClass: "quiet_hours",
      nextEligibleAt: new Date(Date.UTC(2026, 2, 3, 14)),
      pass: null,
    });
  });
});

test("an unknown outcome that may not be repeated dies as unknown, with its burial announced", async () => {
  const blind = await makeAdmitted({
    channel: "sms",
    state: "deferred",
    nextEligibleAt: inMs(-1),
    unresolvedSince: inMs(-500),
  });
  const keyed = await makeAdmitted({
    state: "deferred",
    nextEligibleAt: inMs(-1),
    unresolvedSince: inMs(-KEY_PROTECTION_MS),
  });
  for (const row of [blind, keyed]) {
    expect((await claim([row])).refused).toEqual([{ deliveryId: row.id, reason: "unresolved" }]);
    const dead = await readDelivery(row.id);
    expect(dead).toMatchObject({
      state: "dead",
      reason: "outcome_unknown",
      wish: null,
      reconcileAt: inMs(RECONCILE_AFTER_MS),
      attemptCount: 1,
      unresolvedSince: row.unresolvedSince,
    });
    const announced = (await readOutbox("delivery/dead")).map((event) => event.eventId);
    expect(announced).toContain(`dead:${dead.burialId}`);
  }
});
