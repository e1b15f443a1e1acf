import { createHmac } from "node:crypto";
import { sql } from "drizzle-orm";
import { storeApiKey } from "../db/api-keys";
import { closeDatabase, rows, transact } from "../db/connection";
import { effects } from "../db/effects";
import type { Role } from "../db/roles";
import { linkSubscriber } from "../db/sign-in-subscriber";
import { putSubscriber } from "../db/subscribers";

/** The people of the local stack. Their addresses exist only in the inbox of the stand-ins. */
const SHOPPER = {
  externalId: "demo",
  email: "demo@shopper.example",
  phone: "+12025550123",
  timeZone: "Europe/Berlin",
};
const OPERATOR = "operator@punctual.example";
const VIEWER = "viewer@punctual.example";

export interface Seeded {
  apiKey: string;
  shopper: string;
  operator: string;
}

/**
 * Gives a fresh local database somebody to remind: a shopper with a verified address and number, operators of both kinds, and an API
 * key for the shop's backend. The key is derived from the stack's own secret, so that it is the same at every start.
 * Running it twice changes nothing.
 */
export async function seed(databaseUrl: string): Promise<Seeded> {
  process.env.DATABASE_URL = databaseUrl;
  const secret = process.env.AUTH_SECRET;
  if (secret === undefined) throw new Error("AUTH_SECRET is not set; `npm run dev` makes one.");
  const apiKey = `pk_${createHmac("sha256", secret).update("local api key").digest("base64url")}`;
  try {
    await storeApiKey("local shop", apiKey);
    await seedUser(SHOPPER.email, "Demo shopper", "shopper");
    await seedUser(OPERATOR, "Demo operator", "operator");
    await seedUser(VIEWER, "Demo read-only operator", "viewer");
    await putSubscriber(SHOPPER.externalId, {
      email: SHOPPER.email,
      phone: SHOPPER.phone,
      timeZone: SHOPPER.timeZone,
      locale: "en",
      verified: ["email", "phone"],
    });
    const [user] = await transact((tx) =>
      rows<{ id: string }>(tx, sql`select id from auth_users where email = ${SHOPPER.email}`),
    );
    if (user !== undefined) await linkSubscriber(user.id, SHOPPER.email);
  } finally {
    await closeDatabase();
  }
  return { apiKey, shopper: SHOPPER.email, operator: OPERATOR };
}

async function seedUser(email: string, name: string, role: Role): Promise<void> {
  await transact((tx) =>
    rows(
      tx,
      sql`insert into auth_users (id, name, email, email_verified, role, created_at, updated_at)
        values (${effects.newId()}, ${name}, ${email}, true, ${role}, ledger_now(), ledger_now())
        on conflict (email) do nothing`,
    ),
  );
}
