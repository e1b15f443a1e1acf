import { sql } from "drizzle-orm";
import { newApiSecret, storeApiKey } from "../../../db/api-keys";
import { rows, transact } from "../../../db/connection";
import { type Answer, call } from "./calls";

/** A shop's backend with an API key of its own. */
export async function openShop(name = "shop"): Promise<string> {
  const key = newApiSecret();
  await storeApiKey(name, key);
  return key;
}

export const ADA = {
  email: "ada@shopper.example",
  phone: "+12025550123",
  timeZone: "Europe/Berlin",
  verified: true,
};

/** Puts a subscriber; by default one with a verified address and number. */
export async function putSubscriber(key: string, externalId: string, body: object = ADA): Promise<Answer> {
  return call("PUT", `/api/v1/subscribers/${encodeURIComponent(externalId)}`, { key, body });
}

export const RENT = {
  subscriber: "ada",
  title: "Pay the rent",
  dueAt: "2026-12-24T09:00:00+01:00",
  channels: ["email"],
};

/** Sets a reminder and returns what was answered; `change` replaces parts of the body. */
export async function createReminder(
  key: string,
  change: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Answer> {
  return call("POST", "/api/v1/reminders", { key, headers, body: { ...RENT, ...change } });
}

const TABLES = ["subscribers", "destinations", "reminders", "occurrences", "outbox", "idempotency_keys"];

/** How many rows there are of everything that a request of this API stores. */
export async function countRows(): Promise<Record<string, number>> {
  const counts = await transact((tx) =>
    rows<{ name: string; count: number }>(
      tx,
      sql.raw(
        TABLES.map((name) => `select '${name}' as name, count(*)::int as count from ${name}`).join(
          " union all ",
        ),
      ),
    ),
  );
  return Object.fromEntries(counts.map(({ name, count }) => [name, count]));
}

/** Rows of a raw statement, for what the API does not tell. */
export function query<T>(statement: string): Promise<T[]> {
  return transact((tx) => rows<T>(tx, sql.raw(statement)));
}
