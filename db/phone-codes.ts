import { createHmac, timingSafeEqual } from "node:crypto";
import { sql } from "drizzle-orm";
import { config } from "./config";
import { rows, type Transaction, transact } from "./connection";
import { effects } from "./effects";
import { CODE_USEFUL_SECONDS } from "./notices";
import { fail, invalid, ok, type Result } from "./rules/errors";
import { isId } from "./rules/id";
import { addDestination } from "./subscribers";

/** Guesses at one code: with six digits and at most five codes in ten minutes, a stranger has 1 chance in 40,000. */
const TRIES_MAX = 5;

/** As many as a person reads and types without a mistake. */
const CODE_DIGITS = 6;

/** A number that is being proved, and the code that proves it: for rendering only, it is stored nowhere. */
export interface PhoneCode {
  destinationId: string;
  code: string;
}

/**
 * Adds a number to a subscriber as yet unproved and makes the code that proves it. The verified number of the moment
 * stays in use until the new one is proved. A number that said STOP is refused: no text would arrive.
 */
export async function startPhoneCode(subscriberId: string, phone: string): Promise<Result<PhoneCode>> {
  return transact(async (tx): Promise<Result<PhoneCode>> => {
    await rows(tx, sql`select id from subscribers where id = ${subscriberId}::uuid for no key update`);
    const destinationId = await addDestination(tx, subscriberId, {
      channel: "sms",
      address: phone,
      verified: false,
    });
    const [known] = await rows<{ state: string; verified: boolean }>(
      tx,
      sql`select state, verified_at is not null as verified from destinations where id = ${destinationId}::uuid`,
    );
    if (known?.state === "suppressed") {
      const why = "This number replied STOP. Text START to the sender first, then add it again.";
      return fail({ code: "conflict", why });
    }
    if (known?.verified) return fail({ code: "conflict", why: "This number is confirmed already." });
    await retireOtherNumbers(tx, subscriberId, destinationId, "unproved");
    const identifier = identifierOf(subscriberId, destinationId);
    const seed = (await extendCode(tx, identifier)) ?? (await insertCode(tx, identifier));
    return ok({ destinationId, code: codeOf(identifier, seed) });
  });
}

/**
 * The seed of a code that can still be used, for ten more minutes: asking again sends the same code, so that the message
 * that arrives first is right, and so that asking too often does not take a good code away. Null when there is none.
 */
async function extendCode(tx: Transaction, identifier: string): Promise<string | null> {
  const [kept] = await rows<{ seed: string }>(
    tx,
    sql`update auth_verifications set expires_at = ledger_now() + ${CODE_USEFUL_SECONDS} * interval '1 second',
        updated_at = ledger_now()
      where identifier = ${identifier} and expires_at > ledger_now() and split_part(value, ':', 2)::int < ${TRIES_MAX}
      returning split_part(value, ':', 1) as seed`,
  );
  return kept?.seed ?? null;
}

async function insertCode(tx: Transaction, identifier: string): Promise<string> {
  const seed = effects.newId();
  await rows(tx, sql`delete from auth_verifications where identifier = ${identifier}`);
  await rows(
    tx,
    sql`insert into auth_verifications (id, identifier, value, expires_at, created_at, updated_at)
      values (${effects.newId()}, ${identifier}, ${`${seed}:0`},
        ledger_now() + ${CODE_USEFUL_SECONDS} * interval '1 second', ledger_now(), ledger_now())`,
  );
  return seed;
}

/**
 * Proves a number with its code. A wrong guess is counted, the fifth ends the code; a right one verifies this number and
 * retires the one before it. Deliveries that wait for the old one end when they are claimed.
 */
export async function confirmPhoneCode(
  subscriberId: string,
  destinationId: string,
  typed: string,
): Promise<Result<null>> {
  if (!isId(destinationId)) return fail({ code: "not_found", what: "address" });
  const identifier = identifierOf(subscriberId, destinationId);
  return transact(async (tx): Promise<Result<null>> => {
    await rows(tx, sql`select id from subscribers where id = ${subscriberId}::uuid for no key update`);
    const [stored] = await rows<{ value: string; current: boolean }>(
      tx,
      sql`select value, expires_at > ledger_now() as current from auth_verifications where identifier = ${identifier}`,
    );
    const [seed = "", tries = "0"] = stored?.value.split(":") ?? [];
    if (stored === undefined || !stored.current || Number(tries) >= TRIES_MAX) {
      return invalid(
        "code",
        "(not shown)",
        "the newest code",
        "This code is no longer valid. Ask for a new one.",
      );
    }
    const digits = typed.replace(/\D/g, "");
    const { authSecret, previousAuthSecrets } = config();
    if (
      ![authSecret, ...previousAuthSecrets].some((one) => sameText(codeOf(identifier, seed, one), digits))
    ) {
      await rows(
        tx,
        sql`update auth_verifications set value = ${`${seed}:${Number(tries) + 1}`}, updated_at = ledger_now()
          where identifier = ${identifier}`,
      );
      const left = TRIES_MAX - Number(tries) - 1;
      const rest = left === 0 ? "Ask for a new one." : `${left} ${left === 1 ? "try" : "tries"} left.`;
      return invalid(
        "code",
        "(not shown)",
        "the code from the message",
        `This is not the code we sent. ${rest}`,
      );
    }
    await rows(tx, sql`delete from auth_verifications where identifier = ${identifier}`);
    const verified = await rows(
      tx,
      sql`update destinations set verified_at = ledger_now()
        where id = ${destinationId}::uuid and subscriber_id = ${subscriberId}::uuid and channel = 'sms'
          and state = 'active' returning id`,
    );
    if (verified.length === 0) return fail({ code: "not_found", what: "number" });
    await retireOtherNumbers(tx, subscriberId, destinationId, "all");
    return ok(null);
  });
}

/** Which numbers give way: those that were never proved when another is tried, all of them when one is proved. */
async function retireOtherNumbers(
  tx: Transaction,
  subscriberId: string,
  keptId: string,
  which: "unproved" | "all",
): Promise<void> {
  await rows(
    tx,
    sql`update destinations set state = 'retired', state_reason = 'replaced'
      where subscriber_id = ${subscriberId}::uuid and channel = 'sms' and id <> ${keptId}::uuid and state = 'active'
        and (${which === "all"} or verified_at is null)`,
  );
}

function identifierOf(subscriberId: string, destinationId: string): string {
  return `phone:${subscriberId}:${destinationId}`;
}

/** The code of a seed: computed with the app's secret, so that the database alone does not hold it. */
function codeOf(identifier: string, seed: string, secret = config().authSecret): string {
  const digest = createHmac("sha256", secret).update(`${identifier}:${seed}`).digest();
  return String(digest.readUIntBE(0, 6) % 10 ** CODE_DIGITS).padStart(CODE_DIGITS, "0");
}

function sameText(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
