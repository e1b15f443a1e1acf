import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type EditableDelivery, type EditPlan, planEdit, stepDelaysMs } from "../../../db/rules/edit-plan";
import { DELIVERY_STATES } from "../../../db/rules/lifecycle";
import type { Channel } from "../../../db/rules/outcome";

let rows = 0;

function delivery(overrides: Partial<EditableDelivery> = {}): EditableDelivery {
  rows += 1;
  return {
    id: `d${rows}`,
    occurrenceId: "o1",
    channel: "email",
    state: "scheduled",
    attemptCount: 0,
    unresolved: false,
    ...overrides,
  };
}

function plan(input: Partial<Parameters<typeof planEdit>[0]>): EditPlan {
  return planEdit({
    deliveries: [],
    channelsBefore: ["email"],
    channelsAfter: ["email"],
    timeChanged: false,
    inOrder: false,
    waitingChannels: null,
    ...input,
  });
}

const NOTHING = { repoint: [], supersede: [], drop: [], carried: null, newOccurrence: [], tooLate: false };

describe("an occurrence that still waits", () => {
  test("is changed in place: it carries the channels after the edit", () => {
    expect(plan({ waitingChannels: ["email"] })).toEqual({ ...NOTHING, carried: ["email"] });
    expect(plan({ waitingChannels: ["email"], channelsAfter: ["email", "push"] })).toEqual({
      ...NOTHING,
      carried: ["email", "push"],
    });
    expect(
      plan({ waitingChannels: ["email", "sms"], channelsBefore: ["email", "sms"], channelsAfter: ["sms"] }),
    ).toEqual({ ...NOTHING, carried: ["sms"] });
  });

  test("that carries a part of the channels does not take over those that wait elsewhere", () => {
    const sms = delivery({ channel: "sms" });
    const both: Channel[] = ["email", "sms"];
    const edit = {
      channelsBefore: both,
      channelsAfter: both,
      waitingChannels: ["email" as const],
      deliveries: [sms],
    };
    expect(plan(edit)).toEqual({ ...NOTHING, repoint: [sms], carried: ["email"] });
    expect(plan({ ...edit, timeChanged: true })).toEqual({ ...NOTHING, repoint: [sms], carried: ["email"] });
  });

  test("takes over a channel whose attempted delivery is superseded", () => {
    const sms = delivery({ channel: "sms", state: "deferred", attemptCount: 1 });
    const both: Channel[] = ["email", "sms"];
    expect(
      plan({ channelsBefore: both, channelsAfter: both, waitingChannels: ["email"], deliveries: [sms] }),
    ).toEqual({ ...NOTHING, supersede: [sms.id], carried: ["email", "sms"] });
  });

  test("has nothing left when its only channel is removed", () => {
    const sms = delivery({ channel: "sms" });
    expect(
      plan({
        channelsBefore: ["email", "sms"],
        channelsAfter: ["sms"],
        waitingChannels: ["email"],
        deliveries: [sms],
      }),
    ).toEqual({ ...NOTHING, repoint: [sms], carried: [] });
  });
});

describe("deliveries that exist", () => {
  test.each(["scheduled", "ready", "deferred"] as const)("untried and %s: re-pointed in place", (state) => {
    const row = delivery({ state });
    expect(plan({ deliveries: [row] })).toEqual({ ...NOTHING, repoint: [row] });
  });

  test("attempted and waiting: superseded, and a new occurrence opens for the channel", () => {
    const row = delivery({ state: "deferred", attemptCount: 2 });
    expect(plan({ deliveries: [row] })).toEqual({
      ...NOTHING,
      supersede: [row.id],
      newOccurrence: ["email"],
    });
  });

  test("one device tried, another not: the channel is superseded whole, since its new occurrence reaches both", () => {
    const [tried, untried, done] = [
      delivery({ channel: "push", state: "deferred", attemptCount: 1 }),
      delivery({ channel: "push", state: "ready" }),
      delivery({ channel: "push", state: "delivered", attemptCount: 1 }),
    ];
    expect(
      plan({ deliveries: [tried, untried, done], channelsBefore: ["push"], channelsAfter: ["push"] }),
    ).toEqual({ ...NOTHING, supersede: [tried.id, untried.id], newOccurrence: ["push"] });
  });

  test("being sent, or with an unknown outcome: finishes as it began, and the edit alone comes too late", () => {
    for (const row of [
      delivery({ state: "sending", attemptCount: 1 }),
      delivery({ state: "deferred", attemptCount: 1, unresolved: true }),
    ]) {
      expect(plan({ deliveries: [row] })).toEqual({ ...NOTHING, tooLate: true });
      expect(plan({ deliveries: [row], timeChanged: true })).toEqual({
        ...NOTHING,
        newOccurrence: ["email"],
      });
    }
  });

  test("sent: an edit of the content comes too late, an edit of the time sends again", () => {
    const row = delivery({ state: "delivered", attemptCount: 1 });
    expect(plan({ deliveries: [row] })).toEqual({ ...NOTHING, tooLate: true });
    expect(plan({ deliveries: [row], timeChanged: true })).toEqual({ ...NOTHING, newOccurrence: ["email"] });
  });

  test("of a removed channel: dropped; of an added one: a new occurrence", () => {
    const row = delivery({ channel: "sms" });
    expect(plan({ deliveries: [row], channelsBefore: ["sms"], channelsAfter: ["push"] })).toEqual({
      ...NOTHING,
      drop: [row.id],
      newOccurrence: ["push"],
    });
  });
});

describe("one channel after the other", () => {
  const rows = [delivery({ state: "delivered", attemptCount: 1 }), delivery({ channel: "sms" })];
  const channels = { channelsBefore: ["email", "sms"], channelsAfter: ["sms", "email"] } as const;

  test("go to a new time together, in the order of the edit", () => {
    const edit = plan({ deliveries: rows, ...channels, timeChanged: true, inOrder: true });
    expect(edit).toEqual({ ...NOTHING, supersede: [rows[1]?.id], newOccurrence: ["sms", "email"] });
    const carried = plan({
      deliveries: rows,
      ...channels,
      timeChanged: true,
      inOrder: true,
      waitingChannels: ["email"],
    });
    expect(carried).toEqual({ ...NOTHING, supersede: [rows[1]?.id], carried: ["sms", "email"] });
  });

  test("stay where they are while the time stays", () => {
    const edit = plan({ deliveries: rows, ...channels, inOrder: true });
    expect(edit).toEqual({ ...NOTHING, repoint: [rows[1]] });
  });

  test("wait a step for each channel before that goes with them", () => {
    const moved = [
      delivery({ channel: "push" }),
      delivery({ channel: "push" }),
      delivery({ channel: "email" }),
    ];
    expect([...stepDelaysMs(["sms", "push", "email"], moved, 10)]).toEqual([
      ["push", 0],
      ["email", 600_000],
    ]);
    expect([...stepDelaysMs(["push", "email"], moved, null)]).toEqual([
      ["push", 0],
      ["email", 0],
    ]);
  });
});

test("an edit carries each channel once, moves only what waits and is known, and leaves nothing of an old version waiting", () => {
  const channel = fc.constantFrom<Channel>("email", "sms", "push");
  const channels = fc.uniqueArray(channel, { minLength: 1, maxLength: 3 });
  const deliveries = fc.array(
    fc.record({
      channel,
      state: fc.constantFrom(...DELIVERY_STATES),
      attemptCount: fc.constantFrom(0, 1, 3),
      unresolved: fc.boolean(),
      occurrenceId: fc.constantFrom("o1", "o2"),
    }),
    { maxLength: 8 },
  );
  const input = fc.record({
    deliveries: deliveries.map((list) => list.map((row) => delivery(row))),
    channelsBefore: channels,
    channelsAfter: channels,
    timeChanged: fc.boolean(),
    inOrder: fc.boolean(),
    waitingChannels: fc.option(channels),
  });
  fc.assert(
    fc.property(input, (facts) => {
      const edit = planEdit(facts);
      const touched = [...edit.repoint.map((row) => row.id), ...edit.supersede, ...edit.drop];
      const movable = facts.deliveries.filter(
        (row) => ["scheduled", "ready", "deferred"].includes(row.state) && !row.unresolved,
      );
      const [before, after] = [facts.channelsBefore, facts.channelsAfter];
      const known = movable.filter((row) => before.includes(row.channel) || after.includes(row.channel));
      expect(touched.toSorted()).toEqual(known.map((row) => row.id).toSorted());
      for (const row of edit.repoint) expect(row.attemptCount).toBe(0);
      const carried = [...(edit.carried ?? []), ...edit.newOccurrence];
      expect(new Set(carried).size).toBe(carried.length);
      for (const one of carried) {
        expect(after).toContain(one);
        expect(edit.repoint.map((row) => row.channel)).not.toContain(one);
      }
      const superseded = movable.filter((row) => edit.supersede.includes(row.id)).map((row) => row.channel);
      for (const one of superseded) expect(carried).toContain(one);
      if (facts.waitingChannels !== null) expect(edit.newOccurrence).toEqual([]);
      else expect(edit.carried).toBeNull();
      if (facts.timeChanged) {
        for (const one of after) {
          const comes = carried.includes(one) || edit.repoint.some((row) => row.channel === one);
          expect(comes).toBe(true);
        }
      }
      if (edit.tooLate) expect([...touched, ...carried]).toEqual([]);
    }),
    { numRuns: 3000 },
  );
});
