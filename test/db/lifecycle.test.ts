import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { database, rows, sqlState } from "../../db/connection";
import { DELIVERY_STATES, type DeliveryState, isLegalMove, type MoveFacts } from "../../db/rules/lifecycle";
import {
  type DeliveryOptions,
  type DeliveryRow,
  inMs,
  makeDelivery,
  makeDestination,
} from "../support/factories";
import { readAttempts, readDelivery } from "../support/ledger";

/** Tries an update and takes it back; what the database said. */
async function attempt(statement: ReturnType<typeof sql>): Promise<string> {
  class RolledBack extends Error {}
  try {
    await database().transaction(async (tx) => {
      await rows(tx, statement);
      throw new RolledBack();
    });
  } catch (error) {
    if (error instanceof RolledBack) return "done";
    if (sqlState(error) !== "23514") throw error;
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : (error as Error);
    return cause.message;
  }
  return "done";
}

const change = (row: DeliveryRow, set: ReturnType<typeof sql>) =>
  attempt(sql`update deliveries set ${set} where id = ${row.id}::uuid`);

interface Case extends MoveFacts {
  from: DeliveryState;
  options: DeliveryOptions;
}

/** Every legal row from which a move can start: state × unresolved × reason × carrying a redrive. */
function cases(): Case[] {
  const all: Case[] = [];
  for (const from of DELIVERY_STATES) {
    for (const unresolved of [false, true]) {
      if (unresolved && (from === "delivered" || from === "expired")) continue;
      const reasons =
        from === "dead" ? ["attempts_exhausted", ...(unresolved ? ["outcome_unknown"] : [])] : [null];
      for (const reason of reasons) {
        for (const redriven of [false, true]) {
          const options: DeliveryOptions = {
            state: from,
            ...(unresolved ? { unresolvedSince: inMs(-500) } : {}),
            ...(reason === null ? {} : { reason }),
          };
          all.push({ from, unresolved, reason: reason ?? defaultReason(from), redriven, options });
        }
      }
    }
  }
  return all;
}

const defaultReason = (state: DeliveryState) => (state === "expired" ? "past_deadline" : null);

/** An update to `to` that every CHECK accepts, so that only the trigger can refuse it. */
function move(row: DeliveryRow, to: DeliveryState, facts: MoveFacts) {
  const ends = to === "delivered" || to === "dead" || to === "expired";
  const reason =
    to === "expired"
      ? "cancelled"
      : to !== "dead"
        ? null
        : facts.unresolved
          ? "outcome_unknown"
          : "attempts_exhausted";
  return sql`update deliveries set state = ${to}, reason = ${reason},
      finished_at = case when ${ends} then ledger_now() end,
      lease_until = case when ${to} = 'sending' then ledger_now() end,
      next_eligible_at = case when ${to} in ('scheduled', 'deferred') then ledger_now() end,
      last_class = 'transient', pass = 1, burial_id = coalesce(burial_id, ${randomUUID()}::uuid),
      unresolved_since = case when ${to} <> 'delivered' then unresolved_since end,
      redrive_id = case when ${facts.redriven} then ${randomUUID()}::uuid else redrive_id end
    where id = ${row.id}::uuid`;
}

test.each(cases())(
  "the trigger lets $from go exactly where the table of moves does (unresolved $unresolved, $reason, redrive $redriven)",
  async ({ from, options, ...facts }) => {
    const row = await makeDelivery(options);
    for (const to of DELIVERY_STATES) {
      const said = await attempt(move(row, to, facts));
      const name = `${from} → ${to}`;
      if (!isLegalMove(from, to, facts)) expect(said, name).toContain("is not a legal move");
      // The one move that the table leaves to a CHECK: an unknown outcome never ends as expired.
      else if (to === "expired" && facts.unresolved)
        expect(said, name).toContain("deliveries_expired_is_resolved");
      else expect(said, name).toBe("done");
    }
  },
);

test("a redrive that is the same as the last one does not bring the dead back", async () => {
  const redriveId = randomUUID();
  const row = await makeDelivery({ state: "dead", redriveId });
  const again = sql`state = 'ready', reason = null, finished_at = null, pass = 1, redrive_id = ${redriveId}::uuid`;
  expect(await change(row, again)).toContain("is not a legal move");
});

describe("what never changes", () => {
  test.each(["key", "reference", "channel"])("%s", async (column) => {
    const row = await makeDelivery();
    const value = column === "channel" ? "sms" : `other-${randomUUID()}`;
    expect(await change(row, sql`${sql.identifier(column)} = ${value}`)).toContain("identity never change");
  });

  test("id, subscriber and source", async () => {
    const row = await makeDelivery();
    const other = await makeDelivery();
    expect(await change(row, sql`id = ${randomUUID()}::uuid`)).toContain("identity never change");
    for (const set of [
      sql`subscriber_id = ${other.subscriberId}::uuid`,
      sql`occurrence_id = ${other.occurrenceId}::uuid`,
      sql`occurrence_id = null`,
      sql`notice_id = ${randomUUID()}::uuid`,
    ]) {
      expect(await change(row, set)).toContain("identity never change");
    }
  });

  test("payload, version, destination and partition, once an attempt has begun", async () => {
    const other = await makeDelivery();
    const changes = (row: DeliveryRow) => [
      sql`payload_id = ${other.payloadId}::uuid`,
      sql`version = ${row.version + 1}`,
      sql`destination_id = ${other.destinationId}::uuid`,
      sql`partition = ${other.partition}`,
    ];
    const untried = await makeDelivery();
    for (const set of changes(untried)) expect(await change(untried, set)).toBe("done");
    for (const state of ["sending", "deferred", "delivered", "dead"] as const) {
      const tried = await makeDelivery({ state, contentHash: "h" });
      for (const set of changes(tried))
        expect(await change(tried, set)).toContain("fixed once an attempt has begun");
      expect(await change(tried, sql`content_hash = 'other'`)).toContain("fixed once an attempt has begun");
      expect(await change(tried, sql`first_attempt_at = ledger_now()`)).toContain(
        "fixed once an attempt has begun",
      );
    }
  });

  test("token and attempt count never fall", async () => {
    const row = await makeDelivery({ state: "deferred", token: 3, attemptCount: 3 });
    expect(await change(row, sql`token = 2`)).toContain("never fall");
    expect(await change(row, sql`attempt_count = 2`)).toContain("never fall");
    expect(await change(row, sql`token = 4, attempt_count = 4`)).toBe("done");
  });

  test("an unknown outcome is cleared, or moved, by nothing but delivery", async () => {
    const row = await makeDelivery({ state: "deferred", unresolvedSince: inMs(-500) });
    expect(await change(row, sql`unresolved_since = null`)).toContain("cleared only by positive evidence");
    expect(await change(row, sql`unresolved_since = ledger_now()`)).toContain(
      "cleared only by positive evidence",
    );
    const dead = await makeDelivery({
      state: "dead",
      reason: "outcome_unknown",
      unresolvedSince: inMs(-500),
    });
    const redrive = sql`state = 'ready', reason = null, finished_at = null, pass = 1, redrive_id = ${randomUUID()}::uuid`;
    expect(await change(dead, sql`${redrive}, unresolved_since = null`)).toContain(
      "cleared only by positive evidence",
    );
    expect(await change(dead, redrive)).toBe("done");
  });
});

describe("the other guards", () => {
  const guarded = (table: string, id: string, set: ReturnType<typeof sql>) =>
    attempt(sql`update ${sql.identifier(table)} set ${set} where id = ${id}::uuid`);

  test("rendered content never changes; it is wiped once and stays wiped", async () => {
    const { payloadId } = await makeDelivery();
    const id = payloadId ?? "";
    expect(await guarded("payloads", id, sql`content = '{}'::jsonb`)).toContain("can only be wiped");
    expect(await guarded("payloads", id, sql`cost = 3`)).toContain("can only be wiped");
    expect(
      await guarded("payloads", id, sql`content = null, wiped_at = ledger_now(), version = 2`),
    ).toContain("can only be wiped");
    expect(await guarded("payloads", id, sql`content = null, wiped_at = ledger_now()`)).toBe("done");
    await rows(
      database(),
      sql`update payloads set content = null, wiped_at = ledger_now() where id = ${id}::uuid`,
    );
    expect(await guarded("payloads", id, sql`content = '{}'::jsonb, wiped_at = null`)).toContain(
      "can only be wiped",
    );
  });

  test("an address never changes in place, and a retired one stays retired", async () => {
    const { subscriberId } = await makeDelivery();
    const active = await makeDestination(subscriberId);
    expect(await guarded("destinations", active.id, sql`address = 'other@shopper.example'`)).toContain(
      "never changes in place",
    );
    expect(await guarded("destinations", active.id, sql`state = 'suppressed'`)).toBe("done");
    const retired = await makeDestination(subscriberId, { state: "retired" });
    expect(await guarded("destinations", retired.id, sql`state = 'active'`)).toContain("stays retired");
  });

  test("an attempt is settled once; only what a crash left unknown may still learn its answer", async () => {
    const row = await makeDelivery({ state: "sending" });
    const [begun] = await readAttempts(row.id);
    const id = begun?.id ?? "";
    for (const set of [
      sql`number = 2`,
      sql`token = 9`,
      sql`begun_at = ledger_now()`,
      sql`epoch = 2`,
      sql`run_id = 'x'`,
      sql`slot_at = ledger_now()`,
    ]) {
      expect(await guarded("attempts", id, set)).toContain("settled once and never change");
    }
    await rows(
      database(),
      sql`update attempts set settled_at = ledger_now(), class = 'crashed' where id = ${id}::uuid`,
    );
    expect(await guarded("attempts", id, sql`class = 'accepted', token = 9`)).toContain(
      "settled once and never change",
    );
    await rows(database(), sql`update attempts set class = 'accepted' where id = ${id}::uuid`);
    for (const set of [sql`class = 'transient'`, sql`settled_at = null, class = null`, sql`detail = 'x'`]) {
      expect(await guarded("attempts", id, set)).toContain("settled once and never change");
    }
  });

  test("an occurrence opens exactly once and keeps its name", async () => {
    const { occurrenceId } = await makeDelivery();
    const id = occurrenceId ?? "";
    expect(await guarded("occurrences", id, sql`opened_at = null, state = 'waiting'`)).toContain(
      "opens exactly once",
    );
    expect(await guarded("occurrences", id, sql`opened_at = ledger_now() + interval '1 s'`)).toContain(
      "opens exactly once",
    );
    expect(await guarded("occurrences", id, sql`number = 2`)).toContain("identity never changes");
  });

  test("a refused change leaves the row as it was", async () => {
    const row = await makeDelivery({ state: "delivered" });
    await change(row, sql`state = 'ready', finished_at = null, pass = 1`);
    expect(await readDelivery(row.id)).toEqual(row);
  });
});
