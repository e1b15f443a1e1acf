import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { z } from "zod";
import { readEngineConcurrency } from "../../db/config";
import { replaceEffects } from "../../db/effects";
import { MAX_WAIT_MS } from "../../db/reminders/occurrence";
import { PARCEL_SIZE_MAX } from "../../db/rules/admission-plan";
import { ENGINE_LIMITS } from "../../db/rules/engine-limits";
import { ANNOUNCED_PER_EVENT, EVENTS } from "../../db/rules/event-catalog";
import { type OutgoingEvent, sendEvents } from "../../inngest/send";
import { parseCron } from "../../standins/engine/cron";
import { parseDurationMs } from "../../standins/engine/timing";
import { planned, registered } from "../support/registered";

type Shape = {
  type?: string;
  const?: unknown;
  enum?: unknown[];
  maxLength?: number;
  maxItems?: number;
  items?: Shape;
  properties?: Record<string, Shape>;
};

/** Bytes that a character takes in JSON at most: an escape. */
const BYTES_PER_CHARACTER = 6;

/** Bytes of the largest value that fits, as JSON. Throws where nothing bounds it. */
function largest(shape: Shape, at: string): number {
  if (shape.const !== undefined) return JSON.stringify(shape.const).length;
  if (shape.enum !== undefined) return Math.max(...shape.enum.map((value) => JSON.stringify(value).length));
  switch (shape.type) {
    case "integer":
      return String(Number.MIN_SAFE_INTEGER).length;
    case "string":
      if (shape.maxLength === undefined) throw new Error(`${at}: nothing says how long it may be`);
      return 2 + shape.maxLength * BYTES_PER_CHARACTER;
    case "array":
      if (shape.maxItems === undefined) throw new Error(`${at}: nothing says how many there may be`);
      return 2 + shape.maxItems * (1 + largest(shape.items ?? {}, `${at}[]`));
    case "object":
      return Object.entries(shape.properties ?? {}).reduce(
        (sum, [name, inner]) => sum + name.length + 4 + largest(inner, `${at}.${name}`),
        2,
      );
    default:
      throw new Error(`${at}: unknown shape ${JSON.stringify(shape)}`);
  }
}

/** Beside its data: id, name, timestamp, trace. */
const ENVELOPE_BYTES = 2_000;

test("no event that the catalog allows is larger than the smallest plan takes, nor is a request of them", async () => {
  const sizes = Object.entries(EVENTS).map(([name, schema]) => {
    expect(name.length).toBeLessThanOrEqual(ENGINE_LIMITS.eventNameCharacters);
    return ENVELOPE_BYTES + largest(z.toJSONSchema(schema) as Shape, name);
  });
  for (const size of sizes) expect(size).toBeLessThan(ENGINE_LIMITS.eventBytes);
  const posts: unknown[][] = [];
  const restore = replaceEffects({
    fetch: async (_url, init) => {
      posts.push(JSON.parse(String(init?.body)) as unknown[]);
      return Response.json({ ids: [], status: 200 });
    },
  });
  const ring = (number: number): OutgoingEvent<"partition/pump.rung"> => ({
    id: `ring ${number}`,
    name: "partition/pump.rung",
    data: { v: 1, partition: "push:example", generation: number },
  });
  try {
    expect(await sendEvents(Array.from({ length: 1_234 }, (_, index) => ring(index)))).toBe(true);
  } finally {
    restore();
  }
  expect(posts.flat()).toHaveLength(1_234);
  const most = Math.max(...posts.map((post) => post.length));
  expect(most).toBeLessThan(ENGINE_LIMITS.eventsPerRequest);
  expect(most * Math.max(...sizes)).toBeLessThan(ENGINE_LIMITS.eventRequestBytes);
});

/** How the SDK names a step for the engine. */
const idOf = (name: string) => createHash("sha1").update(name).digest("hex");

const ROUNDS_KNOWN = 195;

const ID = "018f3b1e-7c2a-7d61-9a41-3c9b0d2f4e10";
const PARTITION = "push:fcm.googleapis.com";

/** For each function whose run goes on while there is work: its event, the steps of each round, and a step's largest answer that says "there is more". */
const ENDLESS = {
  "admit-deliveries": [
    "partition/pump.rung",
    ["tick", "rest"],
    { v: 1, partition: PARTITION, generation: 1 },
    { next: "sleep", ms: 1_000 },
  ],
  "fan-out-shipment": [
    "shipment/announced",
    ["pages"],
    { v: 1, shipmentEventIds: [ID] },
    { remaining: Array(ANNOUNCED_PER_EVENT).fill(ID), followers: 3_000, deliveries: 9_000 },
  ],
  "redrive-dead-letters": [
    "redrive/called",
    ["tick", "rest"],
    { v: 1, redriveId: ID, generation: 1 },
    { next: "sleep", ms: 1_000, partitions: 9, released: 500 },
  ],
  "wait-until-due": [
    "reminder/scheduled",
    [],
    { v: 1, dueSecond: 1_900_000_000, generation: "g1", aheadSeconds: 30 },
    { opened: 10_000, deliveries: 30_000, partitions: Array(100).fill(PARTITION) },
  ],
} as const;

test.each(Object.entries(ENDLESS))(
  "%s: a run that never finds an end stops far below the engine's steps and state, and lets another go on",
  async (functionId, [event, rounds, data, answer]) => {
    const restore = replaceEffects({ wallMs: () => 1_900_000_000_000 });
    const steps: Record<string, unknown> = {};
    const names: string[] = [];
    // Asking for each of four hundred steps takes a minute: most of them are answered beforehand.
    for (let round = 0; round < ROUNDS_KNOWN; round += 1) {
      for (const name of rounds) {
        steps[idOf(`${name}-${round}`)] = name === "rest" ? null : { data: answer };
        names.push(name);
      }
    }
    try {
      for (;;) {
        const ops = await planned(functionId, event, data, steps);
        if (ops === null) break;
        for (const { id, op, displayName } of ops) {
          steps[id] = op === "Sleep" ? null : { data: answer };
          names.push(displayName ?? id);
        }
        expect(names.length).toBeLessThan(ENGINE_LIMITS.stepsPerRun / 2);
      }
    } finally {
      restore();
    }
    expect(names.length).toBeGreaterThan(functionId === "wait-until-due" ? 3 : 199);
    const stateBytes = JSON.stringify(steps).length;
    // The engine then sends all of it with each call, and nobody has to fetch it.
    expect(stateBytes).toBeLessThan(ENGINE_LIMITS.callBytes / 2);
    expect(stateBytes).toBeLessThan(ENGINE_LIMITS.runStateBytes / 2);
  },
);

test("no wait sleeps longer than the smallest plan allows; one that would ends by itself", async () => {
  expect(MAX_WAIT_MS).toBeLessThan(ENGINE_LIMITS.sleepMs);
  const nowMs = 1_900_000_000_000;
  const restore = replaceEffects({ wallMs: () => nowMs });
  const asked = (inMs: number) =>
    planned(
      "wait-until-due",
      "reminder/scheduled",
      { v: 1, dueSecond: (nowMs + inMs) / 1_000, generation: "g1" },
      {},
    );
  try {
    expect(await asked(MAX_WAIT_MS)).toMatchObject([{ op: "Sleep" }]);
    expect(await asked(ENGINE_LIMITS.sleepMs + 3_000)).toBeNull();
  } finally {
    restore();
  }
});

test("every function registers within what any engine and every plan takes", async () => {
  const all = Object.values(await registered());
  expect(all.length).toBeLessThanOrEqual(ENGINE_LIMITS.functionsPerApp);
  for (const entry of all) {
    const { id, triggers, concurrency, throttle, steps } = entry;
    expect(triggers.length, id).toBeLessThanOrEqual(ENGINE_LIMITS.triggers);
    const rules = [concurrency ?? []].flat();
    expect(rules.length, id).toBeLessThanOrEqual(ENGINE_LIMITS.concurrencyRules);
    for (const rule of rules)
      expect(typeof rule === "number" ? rule : rule.limit, id).toBeLessThanOrEqual(
        readEngineConcurrency(process.env),
      );
    const { min, max } = ENGINE_LIMITS.throttlePeriodMs;
    const periodMs = throttle === undefined ? min : (parseDurationMs(throttle.period) ?? 0);
    expect(periodMs >= min && periodMs <= max && periodMs % 1_000 === 0, id).toBe(true);
    const retries = Object.values(steps)[0]?.retries?.attempts;
    expect(retries, `${id}: without a number the engine has its own`).toBeDefined();
    expect(retries, id).toBeLessThanOrEqual(ENGINE_LIMITS.retries);
    const seconds = [...JSON.stringify(entry.priority ?? "").matchAll(/[?:] *(-?\d+)/g)].map(([, n]) =>
      Number(n),
    );
    for (const second of seconds)
      expect(Math.abs(second), id).toBeLessThanOrEqual(ENGINE_LIMITS.prioritySeconds);
  }
});

test("what runs by the clock alone is a quarter of what the smallest paid plan includes, and more than the free one", async () => {
  const crons = Object.values(await registered()).flatMap((entry) =>
    entry.triggers.flatMap(({ cron }) => (cron === undefined ? [] : [cron])),
  );
  for (const cron of crons) parseCron(cron);
  const ticksPerHour = crons.map((cron) => (cron.startsWith("* ") ? 60 : 1));
  // A run and its one step, in 31 days.
  const executions = 2 * 24 * 31 * ticksPerHour.reduce((sum, ticks) => sum + ticks, 0);
  expect(executions).toBe(272_304);
  expect(executions).toBeLessThan(0.3 * ENGINE_LIMITS.executionsPerMonth);
});

test("a plan that runs fewer steps at once is told to the registration", async () => {
  expect(readEngineConcurrency({})).toBe(200);
  expect(readEngineConcurrency({ ENGINE_CONCURRENCY: "100" })).toBe(100);
  for (const wrong of ["0", "201", "many"])
    expect(() => readEngineConcurrency({ ENGINE_CONCURRENCY: wrong })).toThrow(/ENGINE_CONCURRENCY/);
});

test("a parcel of the largest size is within the event that carries it", () => {
  const parcel = {
    v: 1,
    channel: "email",
    partition: PARTITION,
    lane: "bulk",
    admissionId: ID,
    deliveryIds: Array(PARCEL_SIZE_MAX).fill(ID),
  };
  expect(EVENTS["delivery/admitted"].safeParse(parcel).success).toBe(true);
});
