import { beforeEach, describe, expect, test } from "vitest";
import { EARLY_MS } from "../../../db/admission/admit";
import {
  bumpSilentPumps,
  handOverPump,
  lookAt,
  type Ring,
  renewPump,
  restPump,
  ringIfLive,
} from "../../../db/admission/pump";
import { testClock } from "../../support/database";
import {
  type DeliveryOptions,
  emptyLedger,
  inMs,
  makeDeliveries,
  makeDelivery,
  makePartition,
  NOON_MS,
  setMeter,
  setPartition,
} from "../../support/factories";
import { interleave, randomFrom, turns } from "../../support/interleave";
import { admitRows, readPartitionRow } from "../../support/ledger";

beforeEach(emptyLedger);

const GRACE_MS = 30_000;

/** A partition whose pump of generation 1 is alive. */
async function makePumped(options: Parameters<typeof makePartition>[0] = {}): Promise<Ring> {
  const partition = await makePartition(options);
  const ring = { partition, generation: 1 };
  expect(await renewPump(ring)).toBe(true);
  return ring;
}

describe("one pump per partition and generation", () => {
  test("renewing holds the partition for a while; another generation's run is told to end", async () => {
    const ring = await makePumped();
    expect(await readPartitionRow(ring.partition)).toMatchObject({
      pumpGeneration: 1,
      pumpUntil: inMs(GRACE_MS),
    });
    await setPartition(ring.partition, { pumpGeneration: 2 });
    expect(await renewPump(ring)).toBe(false);
    expect(await restPump(ring)).toEqual({ rest: "superseded" });
    expect(await handOverPump(ring)).toBeNull();
    expect(await restPump({ partition: "email:resend:nobody", generation: 1 })).toEqual({
      rest: "superseded",
    });
  });

  test("handing over starts the next generation, once", async () => {
    const ring = await makePumped();
    const handed = await Promise.all([handOverPump(ring), handOverPump(ring), handOverPump(ring)]);
    expect(handed.filter((next) => next !== null)).toEqual([{ ...ring, generation: 2 }]);
    expect(await renewPump({ ...ring, generation: 2 })).toBe(true);
  });
});

describe("how long it rests", () => {
  test("a second while anything is ready or being sent", async () => {
    const ring = await makePumped();
    await makeDelivery({ partition: ring.partition });
    expect(await restPump(ring)).toEqual({ rest: "sleep", ms: 1000 });
    expect(await readPartitionRow(ring.partition)).toMatchObject({ pumpUntil: inMs(1000 + GRACE_MS) });
    const other = await makePumped();
    await makeDelivery({ partition: other.partition, state: "sending" });
    expect(await restPump(other)).toEqual({ rest: "sleep", ms: 1000 });
  });

  test("until the earliest next time, a minute at most, a second at least", async () => {
    const ring = await makePumped();
    const { partition } = ring;
    await makeDelivery({ partition, state: "scheduled", nextEligibleAt: inMs(3_600_000) });
    expect(await restPump(ring)).toEqual({ rest: "sleep", ms: 60_000 });
    await makeDelivery({ partition, state: "deferred", nextEligibleAt: inMs(7_500) });
    expect(await restPump(ring)).toEqual({ rest: "sleep", ms: 7_500 });
    await makeDelivery({ partition, state: "deferred", nextEligibleAt: inMs(-5000) });
    expect(await restPump(ring)).toEqual({ rest: "sleep", ms: 1000 });
  });

  test("until the gate, whatever is ready behind it; without an end, a minute", async () => {
    const ring = await makePumped();
    await makeDelivery({ partition: ring.partition });
    await setMeter(ring.partition, { blockedUntil: inMs(20_000) });
    expect(await restPump(ring)).toEqual({ rest: "sleep", ms: 20_000 });
    await setPartition(ring.partition, { pausedBy: "ops", pausedAt: inMs(0) });
    expect(await restPump(ring)).toEqual({ rest: "sleep", ms: 60_000 });
  });

  test("for ever when nothing is live: the generation moves on, so that the next ring is a new event", async () => {
    const ring = await makePumped();
    for (const state of ["delivered", "dead", "expired"] as const)
      await makeDelivery({ partition: ring.partition, state });
    expect(await restPump(ring)).toEqual({ rest: "idle" });
    expect(await readPartitionRow(ring.partition)).toMatchObject({ pumpGeneration: 2, pumpUntil: null });
    expect(await ringIfLive(ring.partition)).toBeNull();
  });
});

describe("no wake-up is lost", () => {
  test("a producer rings a silent partition with the present generation, and leaves a living pump alone", async () => {
    const ring = await makePumped();
    expect(await ringIfLive(ring.partition)).toBeNull();
    await makeDelivery({ partition: ring.partition, state: "scheduled" });
    expect(await ringIfLive(ring.partition)).toBeNull();
    await testClock.advance(GRACE_MS);
    expect(await ringIfLive(ring.partition)).toEqual({ partition: ring.partition, generation: 1 });
  });

  test("work that commits while the pump goes idle is found by one of the two, a hundred times over", async () => {
    const random = randomFrom(11);
    const { stop } = interleave(random);
    const found = { pump: 0, producer: 0, before: 0 };
    try {
      for (let round = 0; round < 100; round += 1) {
        const ring = await makePumped();
        const pumpRests = async () => {
          // However fast the database is, in half of the rounds the pump looks first.
          if (round % 2 === 0) await turns(Math.floor(random() * 200));
          const rest = await restPump(ring);
          if (rest.rest === "sleep") return "before";
          return (await ringIfLive(ring.partition)) === null ? null : "pump";
        };
        const workComes = async () => {
          if (round % 2 === 1) await turns(Math.floor(random() * 200));
          await makeDelivery({ partition: ring.partition });
          return (await ringIfLive(ring.partition)) === null ? null : "producer";
        };
        const rung = await Promise.all([pumpRests(), workComes()]);
        expect(
          rung.some((by) => by !== null),
          `round ${round}`,
        ).toBe(true);
        for (const by of rung) if (by !== null) found[by as keyof typeof found] += 1;
      }
    } finally {
      stop();
    }
    expect(found.before).toBeGreaterThan(0);
    expect(found.pump + found.producer).toBeGreaterThan(0);
  });

  test("the sweep rings every partition with live rows and no living pump, under a new generation, once", async () => {
    const silent = await makePartition();
    await makeDelivery({ partition: silent, state: "deferred" });
    const alive = await makePumped();
    await makeDelivery({ partition: alive.partition });
    const empty = await makePartition();
    await makeDelivery({ partition: empty, state: "delivered" });
    const rung = await Promise.all([bumpSilentPumps({ all: false }), bumpSilentPumps({ all: false })]);
    expect(rung.flat()).toEqual([{ partition: silent, generation: 2 }]);
    expect(await renewPump({ partition: silent, generation: 1 })).toBe(false);
    expect(await readPartitionRow(silent)).toMatchObject({ pumpUntil: inMs(GRACE_MS) });
    expect(await bumpSilentPumps({ all: false })).toEqual([]);
  });

  test("a starting process rings the living ones too, for their runs may be forgotten", async () => {
    const rings = [await makePumped(), await makePumped()];
    for (const { partition } of rings) await makeDeliveries(2, { partition });
    await makePartition();
    const rung = await bumpSilentPumps({ all: true });
    expect(rung.map((ring) => ring.partition).toSorted()).toEqual(
      rings.map((ring) => ring.partition).toSorted(),
    );
    expect(rung.every((ring) => ring.generation === 2)).toBe(true);
  });
});

describe("a look at a partition tells what it needs", () => {
  test("nothing where nothing is live, and of a partition that does not exist", async () => {
    const partition = await makePartition();
    await makeDelivery({ partition, state: "delivered" });
    const nothing = { admission: false, ring: null };
    expect(await lookAt(partition)).toEqual(nothing);
    expect(await lookAt("email:resend:nobody")).toEqual(nothing);
  });

  const cases: [string, DeliveryOptions, boolean][] = [
    ["ready", { state: "ready" }, true],
    [
      "due within the early margin",
      { state: "scheduled", nextEligibleAt: new Date(NOON_MS + EARLY_MS) },
      true,
    ],
    ["due later", { state: "scheduled", nextEligibleAt: new Date(NOON_MS + EARLY_MS + 1) }, false],
    ["being sent", { state: "sending" }, false],
    [
      "useless",
      { state: "deferred", nextEligibleAt: new Date(NOON_MS + 99_000), expiresAt: new Date(NOON_MS) },
      true,
    ],
  ];

  test.each(cases)("%s", async (_name, options, admission) => {
    const partition = await makePartition();
    const row = await makeDelivery({ partition, ...options });
    expect(await lookAt(partition)).toEqual({ admission, ring: { partition, generation: 1 } });
    if (row.state !== "ready") return;
    await admitRows([row.id]);
    expect((await lookAt(partition)).admission).toBe(false);
    await renewPump({ partition, generation: 1 });
    expect((await lookAt(partition)).ring).toBeNull();
  });
});
