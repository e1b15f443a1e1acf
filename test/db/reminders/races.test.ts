import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { openDeliveries } from "../../../db/ledger/open";
import { cancelReminder } from "../../../db/reminders/cancel";
import { editReminder, type RenderReminder } from "../../../db/reminders/edit";
import { snoozeReminder } from "../../../db/reminders/snooze";
import { LIVE_STATES } from "../../../db/rules/lifecycle";
import {
  type DeliveryRow,
  emptyLedger,
  inMs,
  makeDelivery,
  makePartition,
  makeReminder,
  makeShopper,
  setPartition,
} from "../../support/factories";
import { interleave, randomFrom, turns } from "../../support/interleave";
import {
  admitRows,
  claim,
  contentOf,
  deliveriesOf,
  makeDue,
  occurrencesOf,
  readDelivery,
} from "../../support/ledger";

/** Tries of the two races that matter most; each meets in another place. */
const TRIES = 200;

/** Both sides must have won this often, or the race was none. */
const WINS_MIN = 3;

const LIVE: readonly string[] = LIVE_STATES;
const SHOP = { kind: "shop" } as const;
const render: RenderReminder = async (reminder) =>
  reminder.channels.map((channel) => ({ channel, content: { text: reminder.title }, cost: 1 }));

let subscriberId = "";
let partition = "";
let watch: ReturnType<typeof interleave>;
const random = randomFrom(2026);

beforeAll(async () => {
  await emptyLedger();
  subscriberId = (await makeShopper()).id;
  partition = await makePartition({ ceiling: 10_000, burst: 500 });
  // What a try begins stays in flight: there is room for all of them.
  await setPartition(partition, { concurrency: 100_000 });
});

beforeEach(() => {
  watch = interleave(random);
});

afterEach(() => {
  watch.stop();
  expect(watch.refused.filter((state) => state === "40P01" || state === "40001")).toEqual([]);
});

/** Starts the work after a pause of so many turns, more or less. */
async function after<T>(pause: number, work: () => Promise<T>): Promise<T> {
  await turns(Math.max(0, pause) + Math.floor(random() * 30));
  return work();
}

/**
 * Lets two verbs race, try after try. Who won gets a later start the next time, so that the two soon meet in the middle
 * of each other and go on doing so.
 */
function duel() {
  let lead = 120;
  return {
    run: <One, Other>(one: () => Promise<One>, other: () => Promise<Other>): Promise<[One, Other]> =>
      Promise.all([after(-lead, one), after(lead, other)]),
    won(otherWon: boolean) {
      lead += otherWon ? 25 : -25;
    },
  };
}

/** A delivery of an opened reminder, under an admission. */
async function makeAdmitted() {
  const { reminder, occurrence } = await makeReminder({ subscriberId, dueInMs: 0, state: "opened" });
  const row = await makeDelivery({ subscriberId, partition, occurrenceId: occurrence.id });
  await admitRows([row.id]);
  return { id: reminder.id, row };
}

test("cancel against begin: cancelled and never begun, or begun and too late", async () => {
  const stories = { cancelled: 0, too_late: 0 };
  const race = duel();
  for (let round = 0; round < TRIES; round += 1) {
    const { id, row } = await makeAdmitted();
    const [cancelled, claimed] = await race.run(
      () => cancelReminder(SHOP, id),
      () => claim([row]),
    );
    race.won(claimed.begun.length > 0);
    if (!cancelled.ok) throw new Error("cancel failed");
    const outcome = cancelled.value.channels[0]?.outcome;
    const after = await readDelivery(row.id);
    if (outcome === "cancelled") {
      expect(claimed.begun).toEqual([]);
      expect(after).toMatchObject({ state: "expired", reason: "cancelled", attemptCount: 0, token: 0 });
    } else {
      expect(outcome).toBe("too_late");
      expect(claimed.begun).toHaveLength(1);
      expect(after).toMatchObject({ state: "sending", attemptCount: 1, token: 1 });
    }
    stories[outcome as keyof typeof stories] += 1;
  }
  expect(Math.min(...Object.values(stories)), JSON.stringify(stories)).toBeGreaterThanOrEqual(WINS_MIN);
});

test("an edit of the content against begin: only the new version waits, or the old one goes and the edit is too late", async () => {
  const stories = { edited: 0, too_late: 0 };
  const race = duel();
  for (let round = 0; round < TRIES; round += 1) {
    const { id, row } = await makeAdmitted();
    const [edited, claimed] = await race.run(
      () => editReminder(SHOP, id, { title: "New words" }, render),
      () => claim([row]),
    );
    race.won(claimed.begun.length > 0);
    const after = await readDelivery(row.id);
    if (edited.ok) {
      stories.edited += 1;
      expect(claimed.begun).toEqual([]);
      expect(after).toMatchObject({ state: "scheduled", version: 2, attemptCount: 0, admissionId: null });
      expect(await contentOf(row.id)).toMatchObject({ text: "New words" });
    } else {
      stories.too_late += 1;
      expect(edited.problem.code).toBe("too_late");
      expect(claimed.begun[0]?.content).toMatchObject({ text: "Water the plants" });
      expect(after).toMatchObject({ state: "sending", version: 1 });
    }
  }
  expect(Math.min(...Object.values(stories)), JSON.stringify(stories)).toBeGreaterThanOrEqual(WINS_MIN);
});

test("a new time against begin: moved in place, or the old one goes and a new occurrence waits", async () => {
  const stories = { moved: 0, again: 0 };
  const race = duel();
  for (let round = 0; round < TRIES / 2; round += 1) {
    const { id, row } = await makeAdmitted();
    const dueAt = inMs(3_600_000);
    const [edited, claimed] = await race.run(
      () => editReminder(SHOP, id, { dueAt: dueAt.toISOString() }, render),
      () => claim([row]),
    );
    race.won(claimed.begun.length > 0);
    expect(edited.ok).toBe(true);
    const after = await readDelivery(row.id);
    const waiting = (await occurrencesOf(id)).filter((occurrence) => occurrence.state === "waiting");
    if (claimed.begun.length === 0) {
      stories.moved += 1;
      expect(after).toMatchObject({ state: "scheduled", version: 2, nextEligibleAt: dueAt });
      expect(waiting).toEqual([]);
    } else {
      stories.again += 1;
      expect(after).toMatchObject({ state: "sending", version: 1 });
      expect(waiting).toMatchObject([{ version: 2, dueAt, channels: ["email"] }]);
    }
  }
  expect(Math.min(...Object.values(stories)), JSON.stringify(stories)).toBeGreaterThanOrEqual(WINS_MIN);
});

test("two claimers for the same admitted rows: each row is begun once, by one of them", async () => {
  for (let round = 0; round < 20; round += 1) {
    const made: DeliveryRow[] = [];
    for (let count = 0; count < 5; count += 1) made.push((await makeAdmitted()).row);
    const claims = await Promise.all(
      ["run-1", "run-2", "run-3", "run-4"].map((runId) => after(0, () => claim(made, { runId }))),
    );
    const begun = claims.flatMap((outcome) => outcome.begun);
    expect(begun.map((one) => one.deliveryId).toSorted()).toEqual(made.map((row) => row.id).toSorted());
    for (const row of made)
      expect(await readDelivery(row.id)).toMatchObject({ state: "sending", token: 1, attemptCount: 1 });
  }
});

test("cancel, edit and snooze against opening: whatever comes first, nothing of an old version stays alive", async () => {
  const stories = { opened: 0, left: 0 };
  const race = duel();
  for (let round = 0; round < TRIES / 2; round += 1) {
    const { reminder, occurrence } = await makeDue({ subscriberId });
    const verb = (["cancel", "edit", "snooze"] as const)[round % 3] ?? "cancel";
    const verbs = {
      cancel: async () => (await cancelReminder(SHOP, reminder.id)).ok,
      edit: async () => (await editReminder(SHOP, reminder.id, { title: "New words" }, render)).ok,
      snooze: async () => (await snoozeReminder(SHOP, reminder.id, { minutes: 10 })).ok,
    };
    const [changed, { opened }] = await race.run(verbs[verb], () => openDeliveries([occurrence.id]));
    race.won(opened > 0);
    expect(changed).toBe(true);
    stories[opened > 0 ? "opened" : "left"] += 1;
    const live = (await deliveriesOf(occurrence.id)).filter((row) => LIVE.includes(row.state));
    const waiting = (await occurrencesOf(reminder.id)).filter((row) => row.state === "waiting");
    expect(live.map((row) => row.version)).toEqual(verb === "edit" && opened > 0 ? [2] : []);
    // Cancelled: nothing waits. Edited: unopened, or live. Snoozed: the new time.
    expect(waiting).toHaveLength({ cancel: 0, edit: 1 - live.length, snooze: 1 }[verb]);
  }
  expect(Math.min(...Object.values(stories)), JSON.stringify(stories)).toBeGreaterThanOrEqual(WINS_MIN);
});
