import { desc } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { findApiKey, newApiSecret, storeApiKey } from "../../../db/api-keys";
import { database } from "../../../db/connection";
import { API_SCOPES } from "../../../db/rules/api-scopes";
import * as schema from "../../../db/schema";
import { call } from "../../app/api/calls";
import { testClock } from "../../support/database";
import { ops } from "../../support/ops-command";

const WHY = ["--reason", "quarterly change", "--as", "grace"];

beforeEach(async () => {
  await database().delete(schema.operatorActions);
  await database().delete(schema.apiKeys);
});

const actions = () =>
  database().select().from(schema.operatorActions).orderBy(desc(schema.operatorActions.createdAt));

/** Makes a key by the command and answers its secret. */
async function made(...words: string[]): Promise<string> {
  const { code, lines } = await ops("api-key", ...words, "--json");
  expect(code).toBe(0);
  return (JSON.parse(lines[0] ?? "") as { apiKey: string }).apiKey;
}

const list = (key: string) => call("GET", "/api/v1/reminders", { key });

test("a key is changed without an interval: both are good at once, the last use of the old one tells when it may go", async () => {
  const old = await made("shop");
  expect((await ops("api-keys")).lines).toEqual([expect.stringMatching(/^pk_.{5}… {3}shop .* never used$/)]);
  expect((await list(old)).status).toBe(200);
  await testClock.advance(3_600_000);
  const next = await made("shop, new");
  for (const key of [old, next]) expect((await list(key)).status).toBe(200);
  const usedAtMs = testClock.nowMs();
  await testClock.advance(3_600_000);
  expect((await list(next)).status).toBe(200);
  const lines = (await ops("api-keys")).lines[0]?.split("\n") ?? [];
  expect(lines[0]).toContain(`last used ${new Date(testClock.nowMs()).toISOString()}`);
  expect(lines[1]).toContain(`last used ${new Date(usedAtMs).toISOString()}`);

  expect(await ops("revoke-api-key", old.slice(0, 8), ...WHY)).toEqual({
    code: 0,
    lines: ["shop: revoked."],
  });
  expect((await list(old)).status).toBe(401);
  expect((await list(next)).status).toBe(200);
  const [first, second] = JSON.parse((await ops("api-keys", "--json")).lines[0] ?? "").keys;
  expect(first).toMatchObject({ name: "shop, new", lastUsedAtMs: testClock.nowMs(), revokedAtMs: null });
  expect(second).toMatchObject({ name: "shop", lastUsedAtMs: usedAtMs, revokedAtMs: testClock.nowMs() });
  expect(await actions()).toMatchObject([
    { action: "api-key-revoked", operator: "grace", reason: "quarterly change" },
  ]);
});

test("uses within a minute are one write, and a refused key leaves no trace of use", async () => {
  const key = await made("shop", "--scopes", "shipments");
  const used = async () => JSON.parse((await ops("api-keys", "--json")).lines[0] ?? "").keys[0].lastUsedAtMs;
  expect((await list(key)).status).toBe(403);
  expect(await used()).toBeNull();
  const parcel = () => call("GET", "/api/v1/shipments/none", { key });
  await parcel();
  const firstAtMs = testClock.nowMs();
  await testClock.advance(59_000);
  await parcel();
  expect(await used()).toBe(firstAtMs);
  await testClock.advance(1_000);
  await parcel();
  expect(await used()).toBe(testClock.nowMs());
});

test("a key opens what it was made for, everything without --scopes; an unknown scope makes none", async () => {
  expect(await findApiKey(await made("all"))).toMatchObject({ scopes: API_SCOPES });
  expect(await findApiKey(await made("some", "--scopes", "reminders,notices"))).toMatchObject({
    scopes: ["reminders", "notices"],
  });
  expect(await ops("api-key", "none", "--scopes", "everything")).toMatchObject({ code: 2 });
  expect(await ops("api-key")).toMatchObject({ code: 2 });
  expect(await database().select().from(schema.apiKeys)).toHaveLength(2);
});

test("a rehearsal makes no key and shows none, and revokes none", async () => {
  const { lines } = await ops("api-key", "shop", "--dry-run");
  expect(lines.join("\n")).not.toContain("pk_");
  expect(await database().select().from(schema.apiKeys)).toEqual([]);
  const key = await made("shop");
  expect((await ops("revoke-api-key", key.slice(0, 8), ...WHY, "--dry-run")).code).toBe(0);
  expect((await list(key)).status).toBe(200);
});

test("revoking wants a reason and one key in use that begins like this; anything else changes nothing", async () => {
  const [key, twin] = [newApiSecret(), newApiSecret()];
  await storeApiKey("shop", key);
  await storeApiKey("twin", `${key.slice(0, 8)}${twin.slice(8)}`);
  expect(await ops("revoke-api-key", key.slice(0, 8))).toMatchObject({ code: 2 });
  const several = await ops("revoke-api-key", key.slice(0, 8), ...WHY, "--json");
  expect(several.code).not.toBe(0);
  for (const beginning of ["pk_none0", "", "%", "pk_"])
    expect((await ops("revoke-api-key", beginning, ...WHY)).code).not.toBe(0);
  expect(await findApiKey(key)).not.toBeNull();
  expect(await actions()).toEqual([]);
});
