import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { database, rows } from "../../../db/connection";
import { stageDeaths } from "../../../db/outbox";
import { readRedrive } from "../../../db/redrive/read";
import { judgeDeadLetterRun, type RerunVerdict } from "../../../db/redrive/rerun";
import { burialEventId } from "../../../db/rules/event-catalog";
import { testClock } from "../../support/database";
import { type DeliveryRow, inMs, makePartition } from "../../support/factories";
import { readDelivery } from "../../support/ledger";
import { accept, buryAgain, makeDead, makeUnknown, tick, waitingOf } from "../../support/redrives";

let partition: string;

beforeEach(async () => {
  await testClock.set(Date.UTC(2031, 4, 5, 9, 30));
  await rows(database(), sql`delete from redrives`);
  partition = await makePartition();
});

function run(row: DeliveryRow | undefined, runId: string, more: { attempt?: number; eventId?: string } = {}) {
  const burialId = row?.burialId ?? "";
  return judgeDeadLetterRun({
    deliveryId: row?.id ?? "",
    burialId,
    runId,
    attempt: 0,
    eventId: burialEventId(burialId),
    ...more,
  });
}

/** A dead letter whose first run was seen a while ago. */
async function seen(options: Parameters<typeof makeDead>[2] = {}): Promise<DeliveryRow> {
  const [row] = await makeDead(1, partition, options);
  expect(await run(row, "run-1")).toEqual({ verdict: "first" });
  await testClock.advance(10_000);
  return row as DeliveryRow;
}

const redriveOf = (verdict: RerunVerdict) => ("redriveId" in verdict ? verdict.redriveId : "");

describe("a rerun", () => {
  test("redrives its delivery, under the same key and paced, once", async () => {
    const row = await seen();
    const rerun = await run(row, "run-2");
    expect(rerun).toMatchObject({ verdict: "redriven", paused: null });
    expect(await run(row, "run-2")).toEqual(rerun);
    expect(await run(row, "run-3")).toMatchObject({
      verdict: "refused",
      why: "an unfinished redrive has it already",
    });
    await tick(redriveOf(rerun));
    expect(await readDelivery(row.id)).toMatchObject({ state: "ready", lane: "redrive", key: row.key });
    expect(await run(row, "run-4")).toMatchObject({ verdict: "refused", stillDead: false });
  });

  test("one or many join one redrive", async () => {
    const letters = await makeDead(8, partition);
    for (const letter of letters) await run(letter, `first-${letter.id}`);
    await testClock.advance(60_000);
    const reruns = await Promise.all(letters.map((letter) => run(letter, `again-${letter.id}`)));
    const ids = new Set(reruns.map(redriveOf));
    expect(ids.size).toBe(1);
    const [id = ""] = ids;
    await tick(id);
    expect(await waitingOf(id)).toHaveLength(1);
    const read = await readRedrive(id);
    expect(read.ok && read.value).toMatchObject({
      origin: "rerun",
      wouldSend: 8,
      progress: { pending: 7, out: 1 },
    });
  });

  test("of one that was delivered sends nothing and says so", async () => {
    const row = await seen();
    const id = redriveOf(await run(row, "run-2"));
    await tick(id);
    await accept(await waitingOf(id));
    await tick(id);
    expect(await run(row, "run-3")).toEqual({
      verdict: "refused",
      why: "it was delivered",
      stillDead: false,
    });
  });

  test("of one that has died again names its later burial", async () => {
    const row = await seen();
    const id = redriveOf(await run(row, "run-2"));
    await tick(id);
    await buryAgain(await waitingOf(id));
    expect(await run(row, "run-3")).toMatchObject({ verdict: "refused", stillDead: false });
    const again = await readDelivery(row.id);
    expect(await run(again, "run-9")).toEqual({ verdict: "first" });
  });

  test.each([
    ["past its usefulness", { expiresAt: inMs(-1) }],
    ["dismissed", { dismissedAt: inMs(0) }],
  ])("of one that is %s is refused with the reason", async (words, options) => {
    const row = await seen(options);
    const verdict = await run(row, "run-2");
    expect(verdict).toMatchObject({ verdict: "refused", stillDead: true });
    expect("why" in verdict && verdict.why).toContain(words);
  });

  test("never redrives an unknown outcome", async () => {
    const row = await makeUnknown(partition);
    await run(row, "run-1");
    await testClock.advance(60_000);
    expect(await run(row, "run-2")).toMatchObject({ verdict: "refused", stillDead: true });
    expect((await readDelivery(row.id)).state).toBe("dead");
  });
});

describe("a repeated event is never taken for a rerun", () => {
  test("when it comes within ten seconds", async () => {
    const [row] = await makeDead(1, partition);
    await run(row, "run-1");
    await testClock.advance(9_999);
    expect(await run(row, "run-2")).toMatchObject({ verdict: "repeat" });
  });

  test("when it has another id, or another attempt of a run comes", async () => {
    const row = await seen();
    expect(await run(row, "run-2", { eventId: "sent-by-hand" })).toMatchObject({ verdict: "repeat" });
    expect(await run(row, "run-3", { attempt: 1 })).toMatchObject({ verdict: "repeat" });
  });

  test("when the publisher may just have sent it twice, however late the second run comes", async () => {
    const [row] = await makeDead(1, partition);
    await database().transaction((tx) => stageDeaths(tx, [row?.id ?? ""]));
    const sent = (set: ReturnType<typeof sql>) =>
      rows(database(), sql`update outbox set ${set} where event_id = ${burialEventId(row?.burialId ?? "")}`);
    await sent(sql`tries = 2`);
    await run(row, "run-1");
    await testClock.advance(3_600_000);
    expect(await run(row, "run-2")).toMatchObject({ verdict: "repeat" });
    await sent(sql`published_at = ledger_now()`);
    expect(await run(row, "run-3")).toMatchObject({ verdict: "repeat" });
    await testClock.advance(5 * 60_000);
    expect(await run(row, "run-4")).toMatchObject({ verdict: "redriven" });
  });
});
