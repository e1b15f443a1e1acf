import { expect, test } from "vitest";
import type { z } from "zod";
import { EVENTS } from "../../db/rules/event-catalog";
import { registered } from "../support/registered";

test("the engine's limit keys are what they were: changing an expression releases its whole backlog at once", async () => {
  const all = await registered();
  for (const channel of ["email", "sms", "push"]) {
    const entry = all[`punctual-deliver-${channel}`];
    expect(entry?.concurrency).toEqual([{ limit: 200, key: "event.data.partition" }]);
    expect(entry?.throttle).toMatchObject({ key: "event.data.partition", period: "1s" });
    expect(entry?.priority).toEqual({
      run: "event.data.lane == 'urgent' ? 120 : event.data.lane == 'standard' ? 60 : 0",
    });
    expect(entry?.triggers).toEqual([
      { event: "delivery/admitted", expression: `event.data.channel == '${channel}'` },
    ]);
  }
});

test("every field that a limit key names is required by the schema of the event that starts the function", async () => {
  const named = new Set<string>();
  for (const { triggers, concurrency, throttle, priority } of Object.values(await registered())) {
    const keys = JSON.stringify([concurrency, throttle, priority]);
    const fields = [...keys.matchAll(/event\.data\.(\w+)/g)].map((match) => match[1] ?? "");
    for (const { event } of triggers) {
      const schema = event === undefined ? null : EVENTS[event as keyof typeof EVENTS];
      for (const field of fields) {
        const shape = schema?.shape as Record<string, z.ZodType> | undefined;
        expect(shape?.[field]?.safeParse(undefined).success, `${event}: ${field}`).toBe(false);
        expect(shape?.[field]?.safeParse("").success, `${event}: ${field}`).toBe(false);
        named.add(field);
      }
    }
  }
  expect([...named].toSorted()).toEqual(["lane", "partition"]);
});
