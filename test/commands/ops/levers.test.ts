import { desc } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { admit } from "../../../db/admission/admit";
import { database } from "../../../db/connection";
import { replaceEffects } from "../../../db/effects";
import * as schema from "../../../db/schema";
import { expectConsole } from "../../support/console";
import { testClock } from "../../support/database";
import {
  emptyLedger,
  inMs,
  makeDeliveries,
  makeDelivery,
  makePartition,
  setPartition,
} from "../../support/factories";
import { readMeter, readPartitionRow } from "../../support/ledger";
import { ops } from "../../support/ops-command";

const WHY = ["--reason", "their incident", "--as", "grace"];

let partition: string;
let engine: { answers: boolean };
let restore: () => void;

beforeEach(async () => {
  engine = { answers: true };
  restore = replaceEffects({
    fetch: async () => {
      if (!engine.answers) throw new TypeError("fetch failed");
      return Response.json({ ids: ["event"], status: 200 });
    },
  });
  await emptyLedger();
  partition = await makePartition({ ceiling: 50, burst: 2 });
});

afterEach(() => restore());

const lastAction = async () =>
  (await database().select().from(schema.operatorActions).orderBy(desc(schema.operatorActions.createdAt)))[0];

test("a change stands although the engine does not answer; the answer says so, and that the sweep rings", async () => {
  expectConsole(/engine refused events/);
  engine.answers = false;
  const told = await ops("rate", partition, "5", ...WHY);
  expect(told).toEqual({
    code: 0,
    lines: [`${partition}: done. The engine did not answer; the sweep rings the pump.`],
  });
  expect(await readPartitionRow(partition)).toMatchObject({ ceiling: 5 });
});

describe("a lever acts on the ledger at once, is written down, and answers one object with --json", () => {
  test("rate: ceiling, burst and calls in flight", async () => {
    await makeDelivery({ partition });
    const told = await ops("rate", partition, "7.5", "--burst", "3", "--concurrency", "9", ...WHY, "--json");
    expect(told.code).toBe(0);
    expect(told.lines.map((line) => JSON.parse(line))).toEqual([{ ok: true, partition, pumpRung: true }]);
    expect(await readPartitionRow(partition)).toMatchObject({
      ceiling: 7.5,
      burst: 3,
      concurrency: 9,
      pumpGeneration: 2,
    });
    expect(await lastAction()).toMatchObject({
      action: "limits",
      target: partition,
      operator: "grace",
      reason: "their incident",
      details: { ceiling: 7.5, burst: 3, concurrency: 9 },
    });
    expect((await admit(partition)).parcels).toHaveLength(1);
  });

  test("rate 0 lets nothing go; for a person it is one line", async () => {
    await makeDelivery({ partition });
    const told = await ops("rate", partition, "0", ...WHY);
    expect(told).toEqual({ code: 0, lines: [`${partition}: done.`] });
    expect(await admit(partition)).toMatchObject({ parcels: [], gate: { why: "rate_zero" } });
  });

  test("lane: the weight", async () => {
    expect((await ops("lane", partition, "bulk", "0.5", ...WHY, "--json")).code).toBe(0);
    const lanes = await database().select().from(schema.lanes);
    expect(lanes.find(({ lane }) => lane === "bulk")?.weight).toBe(0.5);
    expect(await lastAction()).toMatchObject({
      action: "lane-weight",
      details: { lane: "bulk", weight: 0.5 },
    });
  });

  test("pause with its end and reason, and a resume that starts at a fifth of the rate", async () => {
    await makeDeliveries(2, { partition });
    expect((await ops("pause", partition, "--for", "30m", ...WHY, "--json")).code).toBe(0);
    expect(await readPartitionRow(partition)).toMatchObject({
      pausedBy: "grace",
      pausedReason: "their incident",
      pausedUntil: inMs(30 * 60_000),
    });
    expect(await admit(partition)).toMatchObject({ parcels: [], gate: { why: "paused" } });
    expect((await ops("resume", partition, ...WHY, "--json")).code).toBe(0);
    expect(await readMeter(partition)).toMatchObject({ rate: 10, epoch: 2 });
    expect((await admit(partition)).parcels).not.toEqual([]);
  });

  test("pause without an end is listed until somebody resumes it", async () => {
    expect((await ops("pause", partition, ...WHY)).code).toBe(0);
    await testClock.advance(86_400_000);
    const listed = JSON.parse((await ops("partitions", "--json")).lines[0] ?? "") as { partitions: object[] };
    expect(listed.partitions).toMatchObject([
      { partition, closed: "paused by grace: their incident", closedUntilMs: null },
    ]);
    const invariants = await ops("invariants", "--json");
    expect(invariants.code).toBe(0);
    const { checks } = JSON.parse(invariants.lines[0] ?? "") as {
      checks: { name: string; sample: string[] }[];
    };
    expect(checks.find(({ name }) => name === "a pause without an end")?.sample).toEqual([partition]);
  });

  test("degradation and degrade: written down, rehearsed, acting for a while, ended", async () => {
    const write = ["degradation", partition, "bulk", "expire_oldest", "--window", "2h", ...WHY] as const;
    expect((await ops(...write, "--dry-run", "--json")).code).toBe(0);
    const degradation = async () => {
      const lanes = await database().select().from(schema.lanes);
      const bulk = lanes.find(({ lane }) => lane === "bulk");
      return [
        bulk?.degradation ?? null,
        bulk?.degradationWindowSeconds ?? null,
        bulk?.degradationUntil ?? null,
      ];
    };
    expect(await degradation()).toEqual([null, null, null]);
    const told = await ops(...write, "--json");
    expect(JSON.parse(told.lines[0] ?? "")).toMatchObject({ now: "written", waiting: 0, affected: 0 });
    expect(await degradation()).toEqual(["expire_oldest", 7_200, null]);
    expect((await ops("degrade", partition, "bulk", "--for", "3h", ...WHY)).code).toBe(0);
    expect(await degradation()).toEqual(["expire_oldest", 7_200, inMs(3 * 3_600_000)]);
    expect((await ops("degrade", partition, "bulk", "--for", "0s", ...WHY)).code).toBe(0);
    expect(await degradation()).toEqual(["expire_oldest", 7_200, null]);
    expect((await ops("degrade", partition, "bulk", ...WHY)).code).toBe(2);
    expect(
      (await ops("degradation", partition, "urgent", "coalesce", "--window", "2h", ...WHY)).code,
    ).not.toBe(0);
  });

  test("owner: the partition and what waits in it go to another consumer generation", async () => {
    const row = await makeDelivery({ partition });
    expect((await ops("owner", partition, "2", ...WHY, "--json")).code).toBe(0);
    expect(await readPartitionRow(partition)).toMatchObject({ owner: 2 });
    const [moved] = await database().select().from(schema.deliveries);
    expect(moved).toMatchObject({ id: row.id, owner: 2 });
  });

  test("an account is turned like a partition, and its senders are told", async () => {
    const account = await makePartition({ channel: "sms" });
    const sender = await makePartition({ channel: "sms" });
    await setPartition(sender, { account });
    await makeDelivery({ partition: sender, channel: "sms" });
    expect((await ops("pause", account, "--for", "2h", ...WHY)).code).toBe(0);
    expect(await admit(sender)).toMatchObject({ parcels: [], gate: { why: "paused" } });
    expect((await readPartitionRow(sender)).pumpGeneration).toBe(2);
  });
});

test("invariants ends with 1 and names the key when a promise is broken", async () => {
  const row = await makeDelivery({ state: "delivered", expiresAt: inMs(-1_000), partition });
  const told = await ops("invariants");
  expect(told.code).toBe(1);
  expect(told.lines.join("\n")).toContain("BROKEN 1    no attempt begins after expiry");
  expect(told.lines.join("\n")).toContain(row.key);
});

describe("bad input ends with 2, names the field, what was given and what is accepted, and changes nothing", () => {
  const P = "<partition>";
  test.each<[string, string[], RegExp]>([
    ["a partition that is missing", ["rate"], /partition is missing/],
    ["a partition that there is not", ["rate", "email:resend:nobody", "5", ...WHY], /no such partition/],
    ["a rate that is no number", ["rate", P, "fast", ...WHY], /rate must be a number; given: fast/],
    [
      "a rate beyond reason",
      ["rate", P, "20000", ...WHY],
      /ceiling.*0 to 10000.*20000|ceiling.*20000.*0 to 10000/,
    ],
    ["a rate that is missing", ["rate", P, ...WHY], /rate per second is missing/],
    [
      "half a call in flight",
      ["rate", P, "5", "--concurrency", "1.5", ...WHY],
      /concurrency.*whole number from 1 to 1000/,
    ],
    ["a weight of nothing", ["lane", P, "bulk", "0", ...WHY], /weight.*above 0, at most 1000/],
    ["no time at all", ["pause", P, "--for", "0m", ...WHY], /for.*above 0/],
    ["an empty reason", ["resume", P, "--reason", " "], /reason/],
    ["a verb that there is not", ["stop", P], /no verb "stop"/],
    ["a burst of nothing", ["rate", P, "5", "--burst", "0", ...WHY], /burst.*1 to 10000/],
    ["a lane that there is not", ["lane", P, "vip", "3", ...WHY], /lane.*urgent, standard, bulk, redrive/],
    [
      "a time that is none",
      ["pause", P, "--for", "soon", ...WHY],
      /--for must be like 90s, 30m, 2h or 1d; given: soon/,
    ],
    ["no reason", ["resume", P], /--reason/],
    ["an owner that is none", ["owner", P, "0", ...WHY], /owner.*whole number from 1/],
    ["a flag that there is not", ["pause", P, "--until", "noon"], /--until/],
  ])("%s", async (_name, words, said) => {
    const before = await readPartitionRow(partition);
    const told = await ops(...words.map((word) => (word === P ? partition : word)));
    expect(told.code).toBe(2);
    expect(told.lines.join("\n")).toMatch(said);
    expect(await readPartitionRow(partition)).toEqual(before);
    expect(await database().select().from(schema.operatorActions)).toEqual([]);
  });
});
