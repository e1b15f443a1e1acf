import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { database, rows } from "../../../db/connection";
import { countReminders, listOverview, type OverviewInput } from "../../../db/reminders/overview";
import { ENGLISH } from "../../../db/rules/languages";
import { tellReminder } from "../../../db/rules/reminder-words";
import { type DeliveryOptions, makeDelivery, makeReminder, makeShopper } from "../../support/factories";

let subscriberId = "";

beforeEach(async () => {
  subscriberId = (await makeShopper()).id;
});

async function opened(dueInMs: number, deliveries: DeliveryOptions[]): Promise<string> {
  const { reminder, occurrence } = await makeReminder({ subscriberId, dueInMs, state: "opened" });
  for (const delivery of deliveries) {
    await makeDelivery({ ...delivery, subscriberId, occurrenceId: occurrence.id });
  }
  return reminder.id;
}

async function list(input: Partial<OverviewInput> = {}) {
  const page = await listOverview(subscriberId, { list: "upcoming", limit: 50, ...input });
  if (!page.ok) throw new Error(page.problem.code);
  return page.value;
}

const ids = (page: { reminders: { id: string }[] }) => page.reminders.map((reminder) => reminder.id);

describe("the lists", () => {
  test("what waits or is on its way is to come, everything else is past; the next and the latest come first", async () => {
    const later = (await makeReminder({ subscriberId, dueInMs: 120_000 })).reminder.id;
    const sooner = (await makeReminder({ subscriberId, dueInMs: 60_000 })).reminder.id;
    const underWay = await opened(-1000, [{ state: "delivered" }, { channel: "sms", state: "deferred" }]);
    const sent = await opened(-60_000, [{ state: "delivered" }]);
    const older = await opened(-120_000, [{ state: "dead" }]);
    expect(ids(await list())).toEqual([underWay, sooner, later]);
    expect(ids(await list({ list: "past" }))).toEqual([sent, older]);
    expect(await countReminders(subscriberId)).toBe(5);
  });

  test("the past can be narrowed down to what was sent, had a problem or was cancelled", async () => {
    const sent = await opened(-1000, [{ state: "delivered" }]);
    const partly = await opened(-2000, [{ state: "delivered" }, { channel: "sms", state: "dead" }]);
    const late = await opened(-3000, [{ state: "expired", reason: "past_deadline" }]);
    const { reminder } = await makeReminder({ subscriberId, dueInMs: -4000, state: "cancelled" });
    await rows(
      database(),
      sql`update reminders set status = 'cancelled', cancelled_at = ledger_now() where id = ${reminder.id}::uuid`,
    );
    expect(ids(await list({ list: "past", status: "sent" }))).toEqual([sent, partly]);
    expect(ids(await list({ list: "past", status: "problem" }))).toEqual([partly, late]);
    expect(ids(await list({ list: "past", status: "cancelled" }))).toEqual([reminder.id]);
  });

  test("counts say where the latest occurrence stands", async () => {
    await opened(-1000, [
      { state: "delivered" },
      { channel: "sms", state: "expired", reason: "cancelled" },
      { channel: "push", state: "expired", reason: "no_destination" },
    ]);
    const [only] = (await list({ list: "past" })).reminders;
    expect(only?.counts).toEqual({
      live: 0,
      held: 0,
      delivered: 1,
      unknown: 0,
      dead: 0,
      unsent: 1,
      capped: 0,
      dropped: 1,
    });
    if (only === undefined) throw new Error("no reminder");
    const { status, occurrence, counts } = only;
    expect(tellReminder({ status, occurrenceState: occurrence.state, counts }, ENGLISH).status).toBe(
      "Sent in part",
    );
  });

  test("what quiet hours hold is counted apart from what is on its way", async () => {
    await opened(-1000, [
      { state: "scheduled", lastClass: "quiet_hours" },
      { channel: "sms", state: "scheduled", lastClass: "throttled" },
    ]);
    const [only] = (await list({ list: "upcoming" })).reminders;
    expect(only?.counts).toMatchObject({ live: 2, held: 1 });
  });

  test("somebody else's reminders are not there", async () => {
    await makeReminder({ dueInMs: 1000 });
    expect(ids(await list())).toEqual([]);
    expect(await countReminders(subscriberId)).toBe(0);
  });
});

describe("paging", () => {
  test.each(["upcoming", "past"] as const)(
    "%s: neither skips nor repeats, also among equal times",
    async (name) => {
      const wanted: string[] = [];
      for (let made = 0; made < 7; made += 1) {
        const dueInMs = (name === "upcoming" ? 1 : -1) * 60_000 * (1 + (made % 3));
        wanted.push(
          name === "upcoming"
            ? (await makeReminder({ subscriberId, dueInMs })).reminder.id
            : await opened(dueInMs, [{ state: "delivered" }]),
        );
      }
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await list({ list: name, limit: 2, cursor });
        seen.push(...ids(page));
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined);
      expect(seen.toSorted()).toEqual(wanted.toSorted());
    },
  );

  test("a cursor that is none of ours is refused", async () => {
    for (const cursor of ["x", "WzFd", Buffer.from('["a","b"]').toString("base64url")]) {
      expect(await listOverview(subscriberId, { list: "past", limit: 2, cursor })).toMatchObject({
        ok: false,
      });
    }
  });
});
