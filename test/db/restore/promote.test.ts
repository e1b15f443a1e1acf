import { sql } from "drizzle-orm";
import { afterEach, beforeEach, expect, test } from "vitest";
import { admit } from "../../../db/admission/admit";
import { setOwner } from "../../../db/admission/controls";
import { readCertainty } from "../../../db/cleanup/certainty";
import { database, rehearse, rows } from "../../../db/connection";
import { stampInstallation } from "../../../db/restore/installation";
import { promoteLedger } from "../../../db/restore/promote";
import { fanOutOverdue } from "../../../inngest/fan-out";
import { expectConsole } from "../../support/console";
import { testClock } from "../../support/database";
import {
  emptyLedger,
  inMs,
  makeDelivery,
  makePartition,
  makeReminder,
  makeShopper,
} from "../../support/factories";
import {
  ACCEPTED,
  admitRows,
  begin,
  claim,
  readDelivery,
  readPartitionRow,
  settle,
} from "../../support/ledger";
import { makeDead, started, tick } from "../../support/redrives";
import { follow, record } from "../../support/shipments";

beforeEach(emptyLedger);

afterEach(() => {
  process.env.LEDGER_GENERATION = "g1";
  delete process.env.CONSUMER_GENERATION;
});

const OPERATOR = { name: "ada", reason: "drill" };
const HOUR_MS = 3_600_000;

/** What a restore does to a ledger: it is on another server, and its processes have a new generation. */
async function restoreElsewhere(): Promise<void> {
  await rows(database(), sql`update ledger_state set installation = 'another server'`);
  process.env.LEDGER_GENERATION = "g2";
}

test("a copy on another server is held by itself, also under the same generation", async () => {
  const partition = await makePartition();
  const delivery = await makeDelivery({ partition });
  await stampInstallation();
  expect((await admit(partition)).parcels).toHaveLength(1);
  await rows(database(), sql`update ledger_state set installation = 'another server'`);
  await stampInstallation();
  expect(await admit(partition)).toMatchObject({ parcels: [], gate: { why: "held" } });
  expect(await claim([delivery])).toMatchObject({ begun: [], gate: { why: "held" } });
  expect(await readCertainty(database())).toMatchObject({ certain: false });
});

test("a restored copy sends nothing until promoted, then exactly what is due, by the repeat rules", async () => {
  const email = await makePartition({ channel: "email", ceiling: 100, burst: 10 });
  const sms = await makePartition({ channel: "sms" });
  const push = await makePartition({ channel: "push" });
  const dueEmail = await makeDelivery({ partition: email, channel: "email" });
  const dueSms = await makeDelivery({ partition: sms, channel: "sms" });
  const duePush = await makeDelivery({ partition: push, channel: "push" });
  const later = await makeDelivery({
    partition: sms,
    channel: "sms",
    state: "scheduled",
    scheduledAt: inMs(3 * HOUR_MS),
    nextEligibleAt: inMs(3 * HOUR_MS),
  });
  const delivered = await makeDelivery({ partition: sms, channel: "sms", state: "delivered" });
  const snapshotAtMs = testClock.nowMs();
  const { pumpGeneration } = await readPartitionRow(email);
  await restoreElsewhere();
  await testClock.advance(HOUR_MS);
  for (const key of [email, sms, push]) expect((await admit(key)).parcels).toEqual([]);

  rehearse(true);
  const rehearsed = await promoteLedger({ snapshotAtMs, operator: OPERATOR });
  rehearse(false);
  expect(rehearsed).toMatchObject({ ok: true, value: { repeated: 1, unknown: 2 } });
  expect((await admit(email)).parcels).toEqual([]);
  expect((await readDelivery(dueSms.id)).state).toBe("ready");

  expect(await promoteLedger({ snapshotAtMs, operator: OPERATOR })).toMatchObject({
    ok: true,
    value: { generation: "g2", repeated: 1, unknown: 2 },
  });
  for (const row of [dueSms, duePush])
    expect(await readDelivery(row.id)).toMatchObject({ state: "dead", reason: "outcome_unknown" });
  expect(await readDelivery(delivered.id)).toMatchObject({ state: "delivered" });
  expect((await admit(sms)).parcels).toEqual([]);
  expect((await admit(email)).parcels.flatMap((parcel) => parcel.deliveryIds)).toEqual([dueEmail.id]);
  const claimed = await begin(dueEmail);
  expect(claimed.key).toBe(dueEmail.key);
  await settle(claimed, ACCEPTED);
  expect(await readDelivery(dueEmail.id)).toMatchObject({ state: "delivered", unresolvedSince: null });
  expect((await readPartitionRow(email)).pumpGeneration).toBeGreaterThan(pumpGeneration + 1000);

  await testClock.advance(2 * HOUR_MS);
  expect((await admit(sms)).parcels.flatMap((parcel) => parcel.deliveryIds)).toEqual([later.id]);
});

test("a key that the provider has forgotten since the snapshot is not sent again", async () => {
  const email = await makePartition({ channel: "email" });
  const due = await makeDelivery({ partition: email });
  const snapshotAtMs = testClock.nowMs();
  await restoreElsewhere();
  await testClock.advance(23 * HOUR_MS);
  await promoteLedger({ snapshotAtMs, operator: OPERATOR });
  expect(await readDelivery(due.id)).toMatchObject({ state: "dead", reason: "outcome_unknown" });
});

test("promotion waits for overdue occurrences to be open and for leases to end, and wants a time in the past", async () => {
  const partition = await makePartition();
  await makeReminder({ dueInMs: -1000 });
  await restoreElsewhere();
  const snapshotAtMs = testClock.nowMs();
  const refused = () => promoteLedger({ snapshotAtMs, operator: OPERATOR });
  expect(await refused()).toMatchObject({ ok: false, problem: { code: "conflict" } });
  await rows(database(), sql`update occurrences set state = 'missed'`);
  await makeDelivery({ partition, state: "sending" });
  expect(await refused()).toMatchObject({ ok: false, problem: { code: "conflict" } });
  for (const wrong of [Number.NaN, testClock.nowMs() + 1])
    expect(await promoteLedger({ snapshotAtMs: wrong, operator: OPERATOR })).toMatchObject({ ok: false });
});

test("promotion waits until every announced scan has its rows: the original may have sent them", async () => {
  const email = await makePartition({ channel: "email" });
  const { id: subscriberId } = await makeShopper({ channels: ["email"] });
  await follow(subscriberId);
  await record({ eventId: "scan-1" });
  const snapshotAtMs = testClock.nowMs();
  await restoreElsewhere();
  await testClock.advance(60_000);
  const promote = () => promoteLedger({ snapshotAtMs, operator: OPERATOR });
  expect(await promote()).toMatchObject({ ok: false, problem: { code: "conflict" } });
  expectConsole(/engine refused events/);
  expect(await fanOutOverdue()).toBe(1);
  expect(await promote()).toMatchObject({ ok: true, value: { repeated: 1 } });
  expect((await admit(email)).parcels).toBeDefined();
});

test("a redrive that was under way ends with the promotion: what it had not released may have gone out", async () => {
  const partition = await makePartition({ channel: "sms", ceiling: 100, burst: 10 });
  await makeDead(8, partition, { channel: "sms" });
  const redriveId = await started({ filter: {} });
  const snapshotAtMs = testClock.nowMs();
  await restoreElsewhere();
  await testClock.advance(60_000);
  expect(await promoteLedger({ snapshotAtMs, operator: OPERATOR })).toMatchObject({
    ok: true,
    value: { stoppedRedrives: 1 },
  });
  await tick(redriveId);
  expect((await admit(partition)).parcels).toEqual([]);
});

test("two builds on one ledger: only the owner of a partition admits and begins, there and back", async () => {
  const partition = await makePartition({ ceiling: 100, burst: 10 });
  const [first, second] = [await makeDelivery({ partition }), await makeDelivery({ partition })];
  const asBuild = (generation: string) => {
    process.env.CONSUMER_GENERATION = generation;
  };
  asBuild("1");
  await admitRows([first.id, second.id]);
  const flying = await begin(first);
  await setOwner(partition, 2, OPERATOR);
  expect(await claim([second])).toMatchObject({ begun: [], gate: { why: "held" } });
  expect((await admit(partition)).parcels).toEqual([]);
  // What was being sent finishes as it began.
  await settle(flying, ACCEPTED);
  expect(await readDelivery(first.id)).toMatchObject({ state: "delivered", attemptCount: 1 });
  asBuild("2");
  await testClock.advance(30_001);
  expect((await admit(partition)).parcels.flatMap((parcel) => parcel.deliveryIds)).toEqual([second.id]);
  const taken = await begin(second);
  await settle(taken, { class: "throttled", retryAfterMs: 1_000, scope: "destination" });
  await setOwner(partition, 1, OPERATOR);
  expect((await admit(partition)).gate?.why).toBe("held");
  asBuild("1");
  await testClock.advance(2_500);
  expect((await admit(partition)).parcels.flatMap((parcel) => parcel.deliveryIds)).toEqual([second.id]);
  await settle(await begin(second), ACCEPTED);
  expect(await readDelivery(second.id)).toMatchObject({
    state: "delivered",
    attemptCount: 2,
    throttleCount: 1,
    failureCount: 0,
  });
});
