import { createHash, randomBytes } from "node:crypto";
import { sql } from "drizzle-orm";
import { rows, transact } from "./connection";
import { effects } from "./effects";
import { type Operator, recordAction } from "./operator-actions";
import { fail, ok, type Result } from "./rules/errors";

/** Long enough to be copied from a terminal into a browser, too short to be found again. */
const LINK_MINUTES = 5;

/** 256 bits: a token is not guessed. */
const TOKEN_BYTES = 32;

/** What is kept of a token: whoever reads the table cannot sign in with it. */
export function hashLinkToken(token: string): string {
  return createHash("sha256").update(token).digest("base64url");
}

/**
 * Makes a sign-in link for an operator, for when email is what is broken. Whoever runs this reads the database's address
 * on the host already; the link lasts five minutes, works once, and is written down with who and why.
 */
export async function makeSignInLink(
  email: string,
  appUrl: string,
  operator: Operator,
): Promise<Result<{ url: string; minutes: number }>> {
  return transact(async (tx): Promise<Result<{ url: string; minutes: number }>> => {
    const [user] = await rows<{ id: string; email: string }>(
      tx,
      sql`select id, email from auth_users where lower(email) = lower(${email}) and role in ('operator', 'viewer')`,
    );
    if (user === undefined) return fail({ code: "not_found", what: "operator with this address" });
    const token = randomBytes(TOKEN_BYTES).toString("base64url");
    const value = JSON.stringify({ type: "magic-link", email: user.email });
    // The sign-in library compares with its host's clock; so does the row that it would have written itself.
    await rows(
      tx,
      sql`insert into auth_verifications (id, identifier, value, expires_at, created_at, updated_at)
        values (${effects.newId()}, ${`magic-link:${hashLinkToken(token)}`}, ${value},
          clock_timestamp() + ${LINK_MINUTES} * interval '1 minute', clock_timestamp(), clock_timestamp())`,
    );
    await recordAction(tx, operator, {
      action: "sign-in-link",
      target: user.id,
      details: { minutes: LINK_MINUTES },
    });
    const url = new URL("/api/auth/magic-link/verify", appUrl);
    url.searchParams.set("token", token);
    url.searchParams.set("callbackURL", "/");
    return ok({ url: url.toString(), minutes: LINK_MINUTES });
  });
}
