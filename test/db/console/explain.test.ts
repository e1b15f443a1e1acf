import { beforeEach, expect, test } from "vitest";
import { explain } from "../../../db/console/explain";
import {
  emptyLedger,
  inMs,
  makeDelivery,
  makePartition,
  makeSubscriber,
  setPartition,
} from "../../support/factories";

beforeEach(emptyLedger);

const chain = async (name: string) =>
  Object.fromEntries(
    (await explain(name))?.steps.map(({ step, effect, value }) => [step, `${effect}: ${value}`]) ?? [],
  );

test("the whole chain is told, by key, reference or id, with the value that each rule met", async () => {
  const partition = await makePartition();
  const first = await makeDelivery({ partition });
  const second = await makeDelivery({ partition });
  const told = await chain(second.key);
  expect(Object.keys(told)).toEqual([
    "preference",
    "consent",
    "quiet hours",
    "cap",
    "lane",
    "gate",
    "provider",
  ]);
  expect(told).toMatchObject({
    preference: "passes: on",
    consent: "passes: active, verified",
    lane: "waits: 1 ahead, not admitted",
    gate: "passes: open",
    provider: "passes: not called",
  });
  expect(await explain(first.reference)).toMatchObject({ key: first.key });
  expect(await explain(first.id)).toMatchObject({ key: first.key });
  expect(await explain("reminder:unknown")).toBeNull();
});

test("quiet hours, a pause and an ending are each told at their own step", async () => {
  const subscriber = await makeSubscriber({ quietFrom: "12:00", quietUntil: "14:00" });
  const partition = await makePartition();
  const quiet = await makeDelivery({ partition, subscriberId: subscriber.id });
  expect((await chain(quiet.key))["quiet hours"]).toBe("waits: quiet_hours until 2026-03-02T13:00:00.000Z");
  await setPartition(partition, { pausedAt: inMs(0), pausedBy: "ada" });
  expect((await chain(quiet.key)).gate).toBe("waits: paused until somebody acts");
  const optedOut = await makeDelivery({ partition, state: "expired", reason: "opted_out" });
  expect((await chain(optedOut.key)).consent).toBe("stops: opted_out");
  const dead = await makeDelivery({ partition, state: "dead" });
  expect((await chain(dead.key)).provider).toContain("dead: attempts_exhausted");
});
