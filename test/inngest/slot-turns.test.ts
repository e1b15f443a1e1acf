import { afterEach, beforeEach, expect, test } from "vitest";
import { replaceEffects } from "../../db/effects";
import { SLOT_PATIENCE_MS } from "../../db/rules/slots";
import { forgetSlots, noteSlots, takeTurn } from "../../inngest/slot-turns";

const PARTITION = "push:push.example";
const SAID = { roomInMs: 0, groupSize: 16, intervalMs: 10 };

let nowMs = 1_000_000;
let restore: () => void;

beforeEach(() => {
  restore = replaceEffects({ monotonicMs: () => nowMs });
  forgetSlots();
});

afterEach(() => restore());

test("nobody waits for a meter that nobody has asked, or that has room", () => {
  expect(takeTurn(PARTITION, 25)).toBe(0);
  noteSlots(PARTITION, SAID);
  expect(takeTurn(PARTITION, 25)).toBe(0);
});

test("runs that wait for a meter ask one after the other", () => {
  noteSlots(PARTITION, { ...SAID, roomInMs: 300 });
  expect([takeTurn(PARTITION, 5), takeTurn(PARTITION, 25), takeTurn(PARTITION, 1)]).toEqual([
    300, 348.5, 445.5,
  ]);
});

test("turns that runs took and left make nobody give up for ever", () => {
  noteSlots(PARTITION, { ...SAID, roomInMs: 300 });
  // Parcels that are admitted, find their turn too far away, go back and are admitted again.
  const waits = Array.from({ length: 10_000 }, () => {
    nowMs += 1;
    return takeTurn(PARTITION, 25);
  });
  expect(Math.max(...waits)).toBeLessThanOrEqual(SLOT_PATIENCE_MS + 300);
  expect(waits.filter((waitMs) => waitMs === 0).length).toBeGreaterThan(0);
  nowMs += 2 * SLOT_PATIENCE_MS;
  expect(takeTurn(PARTITION, 1)).toBe(0);
});

test("who finds the meter itself too far away takes no turn", () => {
  noteSlots(PARTITION, { ...SAID, roomInMs: 60_000, intervalMs: 60_000 });
  for (let run = 0; run < 5; run += 1) expect(takeTurn(PARTITION, 3)).toBe(60_000);
  nowMs += 60_000;
  expect(takeTurn(PARTITION, 3)).toBe(0);
});
