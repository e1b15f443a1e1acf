import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { stopRedrive } from "../../../db/redrive/controls";
import { previewRedrive } from "../../../db/redrive/preview";
import { startRedrive } from "../../../db/redrive/start";
import { testClock } from "../../support/database";
import { type DeliveryRow, makePartition } from "../../support/factories";
import { readAttempts, readDelivery } from "../../support/ledger";
import { accept, buryAgain, makeDead, OPERATOR, tick, waitingOf } from "../../support/redrives";

beforeEach(async () => {
  await testClock.set(Date.UTC(2031, 4, 5, 9, 30));
});

const workOf = ({
  key,
  reference,
  payloadId,
  version,
  contentHash,
  destinationId,
  partition,
}: DeliveryRow) => ({
  key,
  reference,
  payloadId,
  version,
  contentHash,
  destinationId,
  partition,
});

/** Redrives whatever is dead; null when nothing may go. */
async function redrive(partition: string): Promise<string | null> {
  const previewed = await previewRedrive({ filter: { partition } }, "olga");
  if (!previewed.ok || previewed.value.wouldSend === 0) return null;
  const { id, wouldSend } = previewed.value;
  const start = await startRedrive({ id, confirm: wouldSend, operator: OPERATOR });
  return start.ok ? start.value.redriveId : null;
}

test("however often redriven, buried, stopped and redriven: the same key, payload and history, counts that never fall", async () => {
  const moves = fc.array(fc.constantFrom("redrive", "tick", "accept", "bury", "stop"), {
    minLength: 3,
    maxLength: 14,
  });
  await fc.assert(
    fc.asyncProperty(moves, async (plan) => {
      const partition = await makePartition();
      const rows = await makeDead(2, partition);
      const before = new Map(rows.map((row) => [row.id, row]));
      let id: string | null = null;
      for (const move of plan) {
        if (move === "redrive") id = (await redrive(partition)) ?? id;
        if (id === null) continue;
        if (move === "tick") await tick(id);
        if (move === "accept") await accept(await waitingOf(id));
        if (move === "bury") await buryAgain(await waitingOf(id));
        if (move === "stop") await stopRedrive(id, OPERATOR);
        for (const row of rows) {
          const last = before.get(row.id) ?? row;
          const now = await readDelivery(row.id);
          expect(workOf(now)).toEqual(workOf(row));
          for (const count of [
            "attemptCount",
            "failureCount",
            "throttleCount",
            "failureBudget",
            "token",
          ] as const)
            expect(now[count]).toBeGreaterThanOrEqual(last[count]);
          expect(await readAttempts(row.id)).toHaveLength(now.attemptCount);
          if (last.state === "delivered") expect(now.state).toBe("delivered");
          before.set(row.id, now);
        }
      }
    }),
    { numRuns: 12 },
  );
});
