import { drizzleAdapter } from "better-auth/adapters/drizzle";
import { database } from "./connection";
import { account, session, user, verification } from "./schema/auth";

/** Where the sign-in library keeps its rows: our database, our tables. */
export function authStorage(): ReturnType<typeof drizzleAdapter> {
  return drizzleAdapter(database(), { provider: "pg", schema: { user, session, account, verification } });
}
