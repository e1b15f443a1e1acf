import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { database, rows } from "../../db/connection";
import { confirmPhoneCode, startPhoneCode } from "../../db/phone-codes";
import { testClock } from "../support/database";
import { makeDestination, makeSubscriber } from "../support/factories";

const PHONE = "+12025550177";
let subscriberId = "";

beforeEach(async () => {
  subscriberId = (await makeSubscriber()).id;
});

async function start(phone = PHONE) {
  const started = await startPhoneCode(subscriberId, phone);
  if (!started.ok) throw new Error(JSON.stringify(started.problem));
  return started.value;
}

const wrong = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, "0");

async function verifiedNumbers(): Promise<string[]> {
  const found = await rows<{ address: string }>(
    database(),
    sql`select address from destinations where subscriber_id = ${subscriberId}::uuid and channel = 'sms'
      and state = 'active' and verified_at is not null`,
  );
  return found.map((row) => row.address);
}

describe("proving a number", () => {
  test("the code verifies it, once", async () => {
    const { destinationId, code } = await start();
    expect(code).toMatch(/^\d{6}$/);
    expect(await verifiedNumbers()).toEqual([]);
    expect(
      (await confirmPhoneCode(subscriberId, destinationId, ` ${code.slice(0, 3)} ${code.slice(3)}`)).ok,
    ).toBe(true);
    expect(await verifiedNumbers()).toEqual([PHONE]);
    expect((await confirmPhoneCode(subscriberId, destinationId, code)).ok).toBe(false);
  });

  test("nothing of the code is in the database", async () => {
    const { code } = await start();
    const stored = await rows<{ value: string }>(database(), sql`select value from auth_verifications`);
    expect(stored.some((row) => row.value.includes(code))).toBe(false);
  });

  test("five wrong guesses end the code, and the right one comes too late then", async () => {
    const { destinationId, code } = await start();
    for (let guess = 0; guess < 5; guess += 1) {
      expect((await confirmPhoneCode(subscriberId, destinationId, wrong(code))).ok).toBe(false);
    }
    expect((await confirmPhoneCode(subscriberId, destinationId, code)).ok).toBe(false);
    expect(await verifiedNumbers()).toEqual([]);
  });

  test("guesses at once are counted all the same", async () => {
    const { destinationId, code } = await start();
    await Promise.all(
      Array.from({ length: 6 }, () => confirmPhoneCode(subscriberId, destinationId, wrong(code))),
    );
    expect((await confirmPhoneCode(subscriberId, destinationId, code)).ok).toBe(false);
  });

  test("asking again sends the same code and does not give back guesses", async () => {
    const first = await start();
    await confirmPhoneCode(subscriberId, first.destinationId, wrong(first.code));
    const again = await start();
    expect(again).toEqual(first);
    for (let guess = 0; guess < 4; guess += 1) {
      await confirmPhoneCode(subscriberId, first.destinationId, wrong(first.code));
    }
    expect((await confirmPhoneCode(subscriberId, first.destinationId, first.code)).ok).toBe(false);
    expect((await start()).code).not.toBe(first.code);
  });

  test("after ten minutes it is over", async () => {
    const { destinationId, code } = await start();
    await testClock.advance(600_001);
    expect((await confirmPhoneCode(subscriberId, destinationId, code)).ok).toBe(false);
  });

  test("somebody else's number is as absent as a missing one", async () => {
    const { destinationId, code } = await start();
    const other = await makeSubscriber();
    expect((await confirmPhoneCode(other.id, destinationId, code)).ok).toBe(false);
    expect(await verifiedNumbers()).toEqual([]);
  });
});

describe("changing a number", () => {
  test("the old one stays in use until the new one is proved", async () => {
    const old = await makeDestination(subscriberId, { channel: "sms" });
    const { destinationId, code } = await start();
    expect(await verifiedNumbers()).toEqual([old.address]);
    await confirmPhoneCode(subscriberId, destinationId, code);
    expect(await verifiedNumbers()).toEqual([PHONE]);
  });

  test("a number that was never proved gives way to the next try", async () => {
    const mistyped = await start("+12025550178");
    const { destinationId, code } = await start();
    expect((await confirmPhoneCode(subscriberId, mistyped.destinationId, mistyped.code)).ok).toBe(false);
    expect((await confirmPhoneCode(subscriberId, destinationId, code)).ok).toBe(true);
  });

  test("a number that said STOP is refused, and so is one that is proved already", async () => {
    await makeDestination(subscriberId, { channel: "sms", address: PHONE, state: "suppressed" });
    expect(await startPhoneCode(subscriberId, PHONE)).toMatchObject({
      ok: false,
      problem: { code: "conflict" },
    });
    const proved = await makeDestination(subscriberId, { channel: "sms" });
    expect(await startPhoneCode(subscriberId, proved.address)).toMatchObject({
      ok: false,
      problem: { code: "conflict", why: "This number is confirmed already." },
    });
  });
});
