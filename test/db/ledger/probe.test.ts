import { beforeEach, describe, expect, test } from "vitest";
import { admit } from "../../../db/admission/admit";
import { keepForRun } from "../../../db/ledger/hold";
import type { Outcome } from "../../../db/rules/outcome";
import { CIRCUIT_PROBE_MS, QUOTA_PROBE_MS } from "../../../db/rules/retry-policy";
import { testClock } from "../../support/database";
import {
  type DeliveryRow,
  emptyLedger,
  inMs,
  makeDeliveries,
  makePartition,
  setPartition,
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

beforeEach(emptyLedger);

/** Deliveries that `run-1` keeps over a 429 whose time has just come. */
async function makeKept(partition: string, count: number): Promise<DeliveryRow[]> {
  const kept = await makeDeliveries(count, { partition, state: "deferred", nextEligibleAt: inMs(0) });
  await keepForRun(
    kept.map((row) => row.id),
    "run-1",
    0,
  );
  return kept;
}

const closures: [string, Outcome, number][] = [
  ["an open circuit", { class: "config_rejected" }, CIRCUIT_PROBE_MS],
  ["a used-up quota", { class: "quota", retryAfterMs: null }, QUOTA_PROBE_MS],
];

describe("while one delivery finds out whether a partition may be called again", () => {
  test.each(closures)("%s: of kept and admitted rows exactly one goes", async (_name, refusal, probeMs) => {
    const partition = await makePartition({ ceiling: 100, burst: 5 });
    const [last] = await makeDeliveries(4, { partition });
    if (last === undefined) throw new Error("no delivery");
    await admitRows([last.id]);
    await settle(await begin(last), refusal);
    await testClock.advance(probeMs);
    // An admission offers one as the probe, and two runs wake for what they kept.
    const offered = (await admit(partition)).parcels.flatMap((parcel) => parcel.deliveryIds);
    expect(offered).toHaveLength(1);
    const kept = await makeKept(partition, 3);
    const claims = await Promise.all([
      claim(kept, { runId: "run-1" }),
      claim([await readDelivery(offered[0] ?? "")], { runId: "run-2" }),
    ]);
    const probes = claims.flatMap((outcome) => outcome.begun);
    expect(probes).toHaveLength(1);
    // Who asks again while the probe is under way hands its rows back.
    const again = await claim(kept, { runId: "run-1" });
    expect(again).toMatchObject({ begun: [], gate: { why: "probing" } });
    for (const row of kept) {
      const now = await readDelivery(row.id);
      if (now.state !== "sending") expect(now).toMatchObject({ state: "deferred", keptBy: null });
    }
    expect((await admit(partition)).parcels).toEqual([]);
    const [probe] = probes;
    if (probe === undefined) throw new Error("no probe");
    await settle(probe, ACCEPTED);
    expect(await readPartitionRow(partition)).toMatchObject({ circuit: "closed", parkedUntil: null });
    expect((await admit(partition)).parcels.flatMap((parcel) => parcel.deliveryIds).length).toBeGreaterThan(
      1,
    );
  });

  test.each(closures)(
    "%s: a probe that is refused closes it again for everybody",
    async (_name, refusal, probeMs) => {
      const partition = await makePartition({ ceiling: 100, burst: 5 });
      await setPartition(partition, { circuit: "open", circuitProbeAt: inMs(0) });
      const kept = await makeKept(partition, 3);
      const { begun } = await claim(kept);
      expect(begun).toHaveLength(1);
      const [probe] = begun;
      if (probe === undefined) throw new Error("no probe");
      await settle(probe, refusal);
      expect((await claim(kept)).begun).toEqual([]);
      await testClock.advance(probeMs - 1);
      expect((await admit(partition)).gate).not.toBeNull();
    },
  );
});
