import { sql } from "drizzle-orm";
import { alone } from "./connection";

/** How many browsers somebody is signed in with. By the host's clock, as the sign-in library judges its sessions. */
export async function countSessions(userId: string): Promise<number> {
  const [row] = await alone<{ count: number }>(
    sql`select count(*)::int as count from auth_sessions where user_id = ${userId} and expires_at > clock_timestamp()`,
  );
  return row?.count ?? 0;
}

/** Ends every session of somebody: each browser is nobody's at its next request. */
export async function endSessions(userId: string): Promise<void> {
  await alone(sql`delete from auth_sessions where user_id = ${userId}`);
}

/** Ends one session, by its token. */
export async function endSession(token: string): Promise<void> {
  await alone(sql`delete from auth_sessions where token = ${token}`);
}
