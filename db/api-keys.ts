import { createHash, randomBytes } from "node:crypto";
import { sql } from "drizzle-orm";
import { rows, transact } from "./connection";
import { effects } from "./effects";

/** 32 random bytes: nobody guesses it, so a plain hash of it is enough to keep. */
const SECRET_BYTES = 32;

const hashOf = (secret: string) => createHash("sha256").update(secret).digest("hex");

/** A new secret for the shop's backend. */
export function newApiSecret(): string {
  return `pk_${randomBytes(SECRET_BYTES).toString("base64url")}`;
}

/** Stores a key for the shop's backend: its hash and the start that people recognise it by. Repeating it is harmless. */
export async function storeApiKey(name: string, secret: string): Promise<void> {
  await transact((tx) =>
    rows(
      tx,
      sql`insert into api_keys (id, name, prefix, hash, created_at)
        values (${effects.newId()}::uuid, ${name}, ${secret.slice(0, 8)}, ${hashOf(secret)}, ledger_now())
        on conflict (hash) do nothing`,
    ),
  );
}

/** The key behind a secret, or null for an unknown or revoked one. Looked up by hash: nothing to time. */
export async function findApiKey(secret: string): Promise<{ id: string; name: string } | null> {
  return transact(async (tx) => {
    const [row] = await rows<{ id: string; name: string }>(
      tx,
      sql`select id, name from api_keys where hash = ${hashOf(secret)} and revoked_at is null`,
    );
    return row ?? null;
  });
}
