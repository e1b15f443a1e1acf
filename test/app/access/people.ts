import { createHmac, randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { newApiSecret, storeApiKey } from "../../../db/api-keys";
import { database, rows } from "../../../db/connection";
import { API_SCOPES, type ApiScope } from "../../../db/rules/api-scopes";
import { makeDestination, makeSubscriber } from "../../support/factories";

/** Somebody who comes: what their requests carry, and who they are. */
export interface Visitor {
  headers: Record<string, string>;
  subscriberId: string | null;
}

/** Later than any test runs: sessions end by the host's clock. */
const NEVER = "2099-01-01T00:00:00Z";

/** A person with a session of their own, as the sign-in library keeps it. */
export async function signedIn(role: "shopper" | "viewer" | "operator"): Promise<Visitor> {
  const [userId, token, email] = [randomUUID(), randomUUID(), `${role}-${randomUUID()}@shopper.example`];
  await rows(
    database(),
    sql`insert into auth_users (id, name, email, email_verified, role, created_at, updated_at)
      values (${userId}, '', ${email}, true, ${role}, now(), now())`,
  );
  await rows(
    database(),
    sql`insert into auth_sessions (id, token, user_id, expires_at, created_at, updated_at)
      values (${randomUUID()}, ${token}, ${userId}, ${NEVER}::timestamptz, now(), now())`,
  );
  const subscriber = await makeSubscriber({ userId, externalId: null });
  await makeDestination(subscriber.id, { address: email });
  return { headers: { cookie: sessionCookie(token) }, subscriberId: subscriber.id };
}

/** The cookie of a session: its token, signed. */
export function sessionCookie(token: string, secret = process.env.AUTH_SECRET ?? ""): string {
  const signature = createHmac("sha256", secret).update(token).digest("base64");
  return `punctual.session_token=${encodeURIComponent(`${token}.${signature}`)}`;
}

async function withKey(scopes: readonly ApiScope[]): Promise<Visitor> {
  const secret = newApiSecret();
  await storeApiKey(`key for ${scopes.join(" and ")}`, secret, scopes);
  return bearer(secret);
}

const bearer = (secret: string): Visitor => ({
  headers: { authorization: `Bearer ${secret}` },
  subscriberId: null,
});

/** Everybody who might come, by role. */
export async function everybody() {
  const people = {
    anonymous: { headers: {}, subscriberId: null } as Visitor,
    owner: await signedIn("shopper"),
    other: await signedIn("shopper"),
    viewer: await signedIn("viewer"),
    operator: await signedIn("operator"),
    "forged session": {
      headers: { cookie: sessionCookie(randomUUID(), "another-secret-another-secret-another") },
      subscriberId: null,
    } as Visitor,
    "wrong key": bearer(newApiSecret()),
    "revoked key": await withKey(API_SCOPES),
  };
  await rows(database(), sql`update api_keys set revoked_at = ledger_now()`);
  const keys = await Promise.all(API_SCOPES.map(async (scope) => [`key:${scope}`, await withKey([scope])]));
  return { ...people, ...(Object.fromEntries(keys) as Record<`key:${ApiScope}`, Visitor>) };
}

export type People = Awaited<ReturnType<typeof everybody>>;
export type Role = keyof People;
