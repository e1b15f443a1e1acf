import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { findApiKey, newApiSecret, storeApiKey } from "../../db/api-keys";
import { database, rows } from "../../db/connection";
import * as schema from "../../db/schema";

test("an API key is found by its secret and kept as a hash; a revoked or unknown one is none", async () => {
  const secret = newApiSecret();
  await storeApiKey("shop", secret);
  await storeApiKey("shop again", secret);
  const [stored, ...more] = await database().select().from(schema.apiKeys);
  expect(more).toEqual([]);
  expect(JSON.stringify(stored)).not.toContain(secret);
  expect(secret.startsWith(stored?.prefix ?? "none")).toBe(true);
  expect(await findApiKey(secret)).toMatchObject({ id: stored?.id, name: "shop" });
  expect(await findApiKey(newApiSecret())).toBeNull();
  await rows(database(), sql`update api_keys set revoked_at = ledger_now()`);
  expect(await findApiKey(secret)).toBeNull();
});
