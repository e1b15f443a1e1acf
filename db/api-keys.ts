import { createHash, randomBytes } from "node:crypto";
import { sql } from "drizzle-orm";
import { alone, rows, transact } from "./connection";
import { effects } from "./effects";
import { type Operator, recordAction } from "./operator-actions";
import { API_SCOPES, type ApiScope } from "./rules/api-scopes";
import { fail, ok, type Result } from "./rules/errors";

/** 32 random bytes: nobody guesses it, so a plain hash of it is enough to keep. */
const SECRET_BYTES = 32;

/** Enough to tell keys apart, far too little to guess the rest. */
const PREFIX_CHARACTERS = 8;

/** How old the last use that is written down may be: a write for each request would cost more than knowing it exactly. */
const USE_NOTED_EVERY_SECONDS = 60;

const hashOf = (secret: string) => createHash("sha256").update(secret).digest("hex");

/** A new secret for the shop's backend. */
export function newApiSecret(): string {
  return `pk_${randomBytes(SECRET_BYTES).toString("base64url")}`;
}

/** Stores a key for the shop's backend: its hash and the start that people recognise it by. Repeating it is harmless. */
export async function storeApiKey(
  name: string,
  secret: string,
  scopes: readonly ApiScope[] = API_SCOPES,
): Promise<void> {
  await transact((tx) =>
    rows(
      tx,
      sql`insert into api_keys (id, name, prefix, hash, scopes, created_at)
        values (${effects.newId()}::uuid, ${name}, ${secret.slice(0, PREFIX_CHARACTERS)}, ${hashOf(secret)},
          string_to_array(${scopes.join(",")}, ','), ledger_now())
        on conflict (hash) do nothing`,
    ),
  );
}

/** What a caller's secret stands for. */
export interface KnownKey {
  id: string;
  name: string;
  scopes: ApiScope[];
  /** Whether a use of the last minute is written down already. */
  usedLately: boolean;
}

/** The key behind a secret, or null for an unknown or revoked one. Looked up by hash: nothing to time. */
export async function findApiKey(secret: string): Promise<KnownKey | null> {
  const [row] = await alone<KnownKey>(
    sql`select id, name, scopes,
        coalesce(last_used_at > ledger_now() - ${USE_NOTED_EVERY_SECONDS} * interval '1 second', false) as "usedLately"
      from api_keys where hash = ${hashOf(secret)} and revoked_at is null`,
  );
  return row ?? null;
}

/** Writes down that a key is in use, so that one nobody uses any more can be revoked without a guess. Waits for nobody. */
export async function noteUse(keyId: string): Promise<void> {
  await alone(
    sql`update api_keys set last_used_at = ledger_now()
      where id = (select id from api_keys where id = ${keyId}::uuid for update skip locked)`,
  );
}

/** A key as operators see it. */
export interface ListedKey {
  name: string;
  prefix: string;
  scopes: ApiScope[];
  createdAtMs: number;
  /** To the minute; null for a key that was never used. */
  lastUsedAtMs: number | null;
  revokedAtMs: number | null;
}

/** Every key, the newest first. */
export function listApiKeys(): Promise<ListedKey[]> {
  return alone<ListedKey>(
    sql`select name, prefix, scopes, epoch_ms(created_at) as "createdAtMs",
        epoch_ms(last_used_at) as "lastUsedAtMs", epoch_ms(revoked_at) as "revokedAtMs" from api_keys
      order by created_at desc, prefix`,
  );
}

/** Ends a key by the beginning of its secret: its next request is refused. Written down with who and why. */
export async function revokeApiKey(prefix: string, operator: Operator): Promise<Result<{ name: string }>> {
  return transact(async (tx): Promise<Result<{ name: string }>> => {
    const found = await rows<{ id: string; name: string }>(
      tx,
      sql`select id, name from api_keys where prefix = ${prefix} and revoked_at is null for update`,
    );
    const [key, another] = found;
    if (key === undefined) return fail({ code: "not_found", what: "API key in use that begins like this" });
    if (another !== undefined) return fail({ code: "conflict", why: "Several keys in use begin like this." });
    await rows(tx, sql`update api_keys set revoked_at = ledger_now() where id = ${key.id}::uuid`);
    await recordAction(tx, operator, { action: "api-key-revoked", target: key.id, details: { prefix } });
    return ok({ name: key.name });
  });
}
