import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { database, rows } from "../../../db/connection";
import { checkGate, GATE_WINDOW_MS } from "../../../db/console/slos";
import { pauseRedrive, resumeRedrive, stopRedrive } from "../../../db/redrive/controls";
import { previewRedrive } from "../../../db/redrive/preview";
import { listRedrives, readRedrive } from "../../../db/redrive/read";
import { startRedrive } from "../../../db/redrive/start";
import { bumpSilentRedrives, stepRedrive } from "../../../db/redrive/step";
import { testClock } from "../../support/database";
import { inMs, makeDelivery, makePartition } from "../../support/factories";
import { admitRows, begin, readAttempts, readDelivery, settle } from "../../support/ledger";
import {
  accept,
  buryAgain,
  generationOf,
  makeDead,
  makeUnknown,
  OPERATOR,
  started,
  tick,
  waitingOf,
} from "../../support/redrives";

beforeEach(async () => {
  await testClock.set(Date.UTC(2031, 4, 5, 9, 30));
});

async function previewed(request: Parameters<typeof previewRedrive>[0]) {
  const result = await previewRedrive(request, "olga");
  if (!result.ok) throw new Error(JSON.stringify(result.problem));
  return result.value;
}

async function detail(id: string) {
  const read = await readRedrive(id);
  if (!read.ok) throw new Error("no redrive");
  return read.value;
}

/** Brings a redrive past its canaries. */
async function pastCanaries(id: string): Promise<void> {
  await tick(id);
  await accept(await waitingOf(id));
  await tick(id);
  await accept(await waitingOf(id));
}

describe("the preview", () => {
  test("counts by verdict and leaves out what must not or need not go", async () => {
    const partition = await makePartition({ channel: "sms" });
    const sms = { channel: "sms" } as const;
    await makeDead(4, partition, sms);
    await makeDead(2, partition, { ...sms, expiresAt: inMs(-1) });
    await makeUnknown(partition, sms);
    await makeDead(1, partition, { ...sms, dismissedAt: inMs(0) });
    const { wouldSend, members, preview } = await previewed({ filter: { partition } });
    expect({ wouldSend, members }).toEqual({ wouldSend: 4, members: 8 });
    const counts = Object.fromEntries(preview.verdicts.map(({ verdict, count }) => [verdict, count]));
    expect(counts).toEqual({ would_send: 4, expired: 2, ambiguous: 1, dismissed: 1 });
    expect(preview.channels).toEqual([{ channel: "sms", members: 8, wouldSend: 4 }]);
    expect(preview.answers).toEqual([
      expect.objectContaining({ reason: "attempts_exhausted", class: "transient", count: 4 }),
    ]);
  });

  test("forecasts the drain at the pace that it could have, and who would expire first", async () => {
    const partition = await makePartition({ channel: "sms", ceiling: 1 });
    await makeDead(20, partition, { channel: "sms", expiresAt: inMs(60_000) });
    const { preview } = await previewed({ filter: { partition } });
    expect(preview.partitions[0]).toMatchObject({ pace: 0.2, limitedBy: "share", redriveMs: 100_000 });
    // At one in five seconds those behind the first minute come too late.
    expect(preview.expireFirst).toBe(8);
    const asked = await previewed({ filter: { partition }, ratePerSecond: 0.1 });
    expect(asked.preview.partitions[0]).toMatchObject({ pace: 0.1, limitedBy: "asked" });
  });

  test("tells an unknown outcome that the provider still protects from one that it does not", async () => {
    const partition = await makePartition();
    await makeUnknown(partition, { unresolvedSince: inMs(-3_600_000) });
    await makeUnknown(partition, { unresolvedSince: inMs(-24 * 3_600_000) });
    const { preview } = await previewed({ filter: { partition } });
    expect(preview.verdicts.map(({ verdict, count }) => [verdict, count])).toEqual([
      ["ambiguous", 1],
      ["protection_lapsed", 1],
    ]);
    const named = await previewed({ filter: { partition }, includeAmbiguous: true });
    expect(named).toMatchObject({ wouldSend: 2, preview: { mayDuplicate: 2 } });
  });

  test("sends nothing, and finds nothing where nothing is dead", async () => {
    const partition = await makePartition();
    const [row] = await makeDead(1, partition);
    await previewed({ filter: { partition } });
    expect((await readDelivery(row?.id ?? "")).state).toBe("dead");
    expect((await previewRedrive({ filter: { partition: "email:resend:nobody" } }, "olga")).ok).toBe(false);
  });
});

describe("the start", () => {
  test("wants the exact count, a reason, and a fresh preview", async () => {
    const partition = await makePartition();
    await makeDead(3, partition);
    const { id } = await previewed({ filter: { partition } });
    const wrong = await startRedrive({ id, confirm: 2, operator: OPERATOR });
    expect(!wrong.ok && wrong.problem.code).toBe("invalid_input");
    expect((await startRedrive({ id, confirm: 3, operator: { name: "olga", reason: " " } })).ok).toBe(false);
    await testClock.advance(31 * 60_000);
    const late = await startRedrive({ id, confirm: 3, operator: OPERATOR });
    expect(!late.ok && late.problem.code).toBe("conflict");
  });

  test("two clicks make one redrive", async () => {
    const partition = await makePartition();
    await makeDead(3, partition);
    const { id } = await previewed({ filter: { partition } });
    const clicks = await Promise.all(
      [1, 2, 3].map(() => startRedrive({ id, confirm: 3, operator: OPERATOR })),
    );
    expect(clicks.map((click) => click.ok && click.value.joined).toSorted()).toEqual([false, true, true]);
    expect((await detail(id)).actions.map(({ action }) => action)).toEqual(["redrive-start"]);
  });

  test("two operators with the same dead letters make one redrive, also at the same moment", async () => {
    const partition = await makePartition();
    await makeDead(3, partition);
    const one = await previewed({ filter: { partition } });
    const other = await previewed({ filter: { partition } });
    const starts = await Promise.all(
      [one, other].map(({ id }) => startRedrive({ id, confirm: 3, operator: OPERATOR })),
    );
    const ids = starts.map((start) => (start.ok ? start.value.redriveId : JSON.stringify(start.problem)));
    expect(new Set(ids).size).toBe(1);
    expect(starts.filter((start) => start.ok && !start.value.joined)).toHaveLength(1);
  });

  test("a set that shares only some with an unfinished redrive must be previewed again", async () => {
    const partition = await makePartition();
    await makeDead(2, partition);
    const first = await started({ filter: { partition } });
    const known = await previewed({ filter: { partition } }).catch(() => null);
    expect(known).toMatchObject({ wouldSend: 0 });
    await stopRedrive(first, OPERATOR);
    const wide = await previewed({ filter: { partition } });
    const [one] = await rows<{ id: string }>(
      database(),
      sql`select delivery_id as id from redrive_members where redrive_id = ${wide.id}::uuid limit 1`,
    );
    await started({ filter: { deliveryIds: [one?.id ?? ""] } });
    const start = await startRedrive({ id: wide.id, confirm: 2, operator: OPERATOR });
    expect(!start.ok && start.problem.code).toBe("conflict");
  });
});

describe("a tick", () => {
  test("one canary, then five, then the pace; the same key, payload and history, with a fresh allowance", async () => {
    const partition = await makePartition({ ceiling: 10 });
    const dead = await makeDead(20, partition);
    const id = await started({ filter: { partition } });
    await tick(id);
    const [first] = await waitingOf(id);
    expect(await waitingOf(id)).toHaveLength(1);
    await tick(id);
    expect(await waitingOf(id)).toHaveLength(1);
    const before = dead.find((row) => row.id === first);
    const after = await readDelivery(first ?? "");
    const { key, reference, payloadId, version, contentHash, attemptCount, failureCount } = before ?? after;
    expect(after).toMatchObject({
      key,
      reference,
      payloadId,
      version,
      contentHash,
      attemptCount,
      failureCount,
    });
    expect(after).toMatchObject({
      state: "ready",
      lane: "redrive",
      failureBudget: failureCount + 5,
      redriveId: id,
    });
    expect(await readAttempts(after.id)).toHaveLength(attemptCount);
    await accept([first ?? ""]);
    await tick(id);
    expect(await waitingOf(id)).toHaveLength(5);
    await accept(await waitingOf(id));
    await tick(id);
    expect(await waitingOf(id)).toHaveLength(1);
    expect((await detail(id)).progress).toMatchObject({ delivered: 6, out: 1, pending: 13 });
  });

  test("that runs twice at one instant releases nothing twice", async () => {
    const partition = await makePartition({ ceiling: 10 });
    await makeDead(30, partition);
    const id = await started({ filter: { partition }, ratePerSecond: 1 });
    await pastCanaries(id);
    await tick(id);
    await tick(id);
    expect(await waitingOf(id)).toHaveLength(1);
    await testClock.advance(1_000);
    await Promise.all([tick(id), tick(id)]);
    expect(await waitingOf(id)).toHaveLength(2);
  });

  test("of a driver that was replaced does nothing", async () => {
    const partition = await makePartition();
    await makeDead(2, partition);
    const id = await started({ filter: { partition } });
    const generation = await generationOf(id);
    const calls = await bumpSilentRedrives({ all: true });
    expect(calls).toContainEqual({ redriveId: id, generation: generation + 1 });
    expect(await stepRedrive({ redriveId: id, generation })).toMatchObject({ next: "end" });
    expect(await waitingOf(id)).toHaveLength(0);
  });

  test("skips what has changed since it was chosen: delivered, dismissed, opted out, buried anew", async () => {
    const partition = await makePartition();
    const [delivered, cancelled, going] = await makeDead(3, partition);
    const unknown = await makeUnknown(partition);
    const id = await started({ filter: { partition }, includeAmbiguous: true });
    await rows(
      database(),
      sql`update deliveries set state = 'delivered', reason = null, unresolved_since = null where id = ${unknown.id}::uuid`,
    );
    await rows(
      database(),
      sql`update deliveries set dismissed_at = ledger_now() where id = ${delivered?.id}::uuid`,
    );
    await rows(
      database(),
      sql`update deliveries set burial_id = ${randomUUID()}::uuid where id = ${cancelled?.id}::uuid`,
    );
    await pastCanaries(id);
    await tick(id);
    const { progress, state } = await detail(id);
    expect(progress).toMatchObject({
      delivered: 1,
      skipped: 3,
      skippedBy: { delivered: 1, dismissed: 1, not_dead: 1 },
    });
    expect(state).toBe("finished");
    expect((await readDelivery(going?.id ?? "")).state).toBe("delivered");
  });

  test("a canary that dies again stops it, and says whether it died as before", async () => {
    const partition = await makePartition();
    await makeDead(10, partition);
    const id = await started({ filter: { partition } });
    await tick(id);
    await buryAgain(await waitingOf(id));
    expect(await tick(id)).toMatchObject({ next: "end" });
    expect(await detail(id)).toMatchObject({
      state: "paused",
      pauseKind: "canary",
      progress: { dead: 1, pending: 9 },
    });
    expect((await detail(id)).pauseReason).toContain("for the same reason");
  });

  test("ends when nothing is left, and its counts stay", async () => {
    const partition = await makePartition();
    await makeDead(3, partition);
    const id = await started({ filter: { partition } });
    await pastCanaries(id);
    expect(await tick(id)).toMatchObject({ next: "end", why: "finished" });
    await rows(database(), sql`delete from redrive_members where redrive_id = ${id}::uuid`);
    const list = await listRedrives({ limit: 50 });
    const line = list.ok ? list.value.redrives.find((redrive) => redrive.id === id) : null;
    expect(line).toMatchObject({ state: "finished", progress: { delivered: 3 } });
  });

  test("its end stores what the gate finds: live work inside its promises, or not", async () => {
    const partition = await makePartition();
    await makeDead(2, partition);
    await makeDelivery({ partition, scheduledAt: inMs(-3_600_000) });
    const id = await started({ filter: { partition } });
    expect((await detail(id)).gate).toBeNull();
    const { ok, measures } = await checkGate(GATE_WINDOW_MS);
    expect(measures.find(({ measure, ok }) => measure === "p99_age_ms" && !ok)).toBeDefined();
    await stopRedrive(id, OPERATOR);
    expect((await detail(id)).gate).toMatchObject({ ok, measures });
  });
});

describe("the controls", () => {
  test("pause stops releases, resume goes on with canaries, stop leaves the rest dead", async () => {
    const partition = await makePartition({ ceiling: 100 });
    await makeDead(30, partition);
    const id = await started({ filter: { partition } });
    await pastCanaries(id);
    await pauseRedrive(id, OPERATOR);
    expect(await tick(id)).toMatchObject({ next: "end" });
    await resumeRedrive(id, OPERATOR, { ratePerSecond: 2 });
    await tick(id);
    expect(await waitingOf(id)).toHaveLength(1);
    await stopRedrive(id, OPERATOR);
    expect(await tick(id)).toMatchObject({ next: "end" });
    const { progress, actions, state, askedPerSecond } = await detail(id);
    expect({ state, askedPerSecond }).toEqual({ state: "stopped", askedPerSecond: 2 });
    expect(progress).toMatchObject({ delivered: 6, out: 1, pending: 23 });
    expect(actions.map(({ action }) => action).toSorted()).toEqual([
      "redrive-pause",
      "redrive-resume",
      "redrive-start",
      "redrive-stop",
    ]);
    expect((await resumeRedrive(id, OPERATOR)).ok).toBe(false);
    // What it did not send is free for the next one.
    expect(await previewed({ filter: { partition } })).toMatchObject({ wouldSend: 23 });
  });
});

test("an unknown outcome that was named goes once; what it ends as does not allow another", async () => {
  const partition = await makePartition({ channel: "sms" });
  const row = await makeUnknown(partition, { channel: "sms" });
  const id = await started({ filter: { partition }, includeAmbiguous: true });
  await tick(id);
  expect(await readDelivery(row.id)).toMatchObject({ state: "ready", acknowledged: true });
  await admitRows([row.id]);
  const claim = await begin(await readDelivery(row.id), { hashContent: () => "hash" });
  await settle(claim, { class: "ambiguous" });
  expect(await readDelivery(row.id)).toMatchObject({
    state: "dead",
    reason: "outcome_unknown",
    acknowledged: false,
    attemptCount: 2,
  });
});

test("a redriven delivery may fail as often again as a new one", async () => {
  const partition = await makePartition();
  const [row] = await makeDead(1, partition);
  const id = await started({ filter: { partition } });
  await tick(id);
  await admitRows([row?.id ?? ""]);
  const claim = await begin(await readDelivery(row?.id ?? ""), { hashContent: () => "hash" });
  await settle(claim, { class: "transient" });
  expect(await readDelivery(row?.id ?? "")).toMatchObject({
    state: "deferred",
    failureCount: 6,
    failureBudget: 10,
  });
});

test("a delivered key is no dead letter: nothing can be chosen", async () => {
  const partition = await makePartition();
  const row = await makeDelivery({ partition, state: "delivered" });
  expect((await previewRedrive({ filter: { deliveryIds: [row.id] } }, "olga")).ok).toBe(false);
});
