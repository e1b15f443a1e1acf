import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { database, rows } from "../../db/connection";
import { linkSubscriber, subscriberForSignIn } from "../../db/sign-in-subscriber";
import { makeDestination, makeSubscriber } from "../support/factories";

const DEFAULTS = { timeZone: "Europe/Paris", locale: "fr" };
let number = 0;

function freshEmail(): string {
  number += 1;
  return `person-${number}@shopper.example`;
}

async function makeUser(email: string): Promise<string> {
  const id = randomUUID();
  await rows(
    database(),
    sql`insert into auth_users (id, name, email, email_verified, created_at, updated_at)
      values (${id}, '', ${email}, true, now(), now())`,
  );
  return id;
}

test("a new address makes one person, also when asked for twice at once, in the browser's zone", async () => {
  const email = freshEmail();
  const found = await Promise.all(Array.from({ length: 5 }, () => subscriberForSignIn(email, DEFAULTS)));
  expect(new Set(found.map((one) => one.subscriberId)).size).toBe(1);
  const [row] = await rows<{ timeZone: string }>(
    database(),
    sql`select time_zone as "timeZone" from subscribers where id = ${found[0]?.subscriberId}::uuid`,
  );
  expect(row?.timeZone).toBe("Europe/Paris");
});

test("whoever proves an address that the shop has verified is that subscriber", async () => {
  const email = freshEmail();
  const subscriber = await makeSubscriber();
  await makeDestination(subscriber.id, { address: email });
  expect((await subscriberForSignIn(email.toUpperCase(), DEFAULTS)).subscriberId).toBe(subscriber.id);
  const userId = await makeUser(email);
  expect(await linkSubscriber(userId, email)).toBe(subscriber.id);
  expect(await linkSubscriber(userId, email)).toBe(subscriber.id);
});

test("an address that the shop only wrote down does not open that subscriber to whoever owns it", async () => {
  const email = freshEmail();
  const subscriber = await makeSubscriber();
  await makeDestination(subscriber.id, { address: email, verifiedAt: null });
  expect((await subscriberForSignIn(email, DEFAULTS)).subscriberId).not.toBe(subscriber.id);
  expect(await linkSubscriber(await makeUser(email), email)).not.toBe(subscriber.id);
});

test("a subscriber who has an account is not given to another one", async () => {
  const email = freshEmail();
  const owner = await makeUser(freshEmail());
  const subscriber = await makeSubscriber({ userId: owner });
  await makeDestination(subscriber.id, { address: email });
  const other = await linkSubscriber(await makeUser(email), email);
  expect(other).not.toBe(subscriber.id);
});

test("linking proves the address", async () => {
  const email = freshEmail();
  const { destinationId } = await subscriberForSignIn(email, DEFAULTS);
  await linkSubscriber(await makeUser(email), email);
  const [row] = await rows<{ verified: boolean }>(
    database(),
    sql`select verified_at is not null as verified from destinations where id = ${destinationId}::uuid`,
  );
  expect(row?.verified).toBe(true);
});
