import { sql } from "drizzle-orm";
import { alone } from "./connection";

/** Whom reports go to. */
export interface OperatorAddress {
  userId: string;
  email: string;
}

/** Everybody with the operator role. */
export function readOperators(): Promise<OperatorAddress[]> {
  return alone<OperatorAddress>(
    sql`select id as "userId", email from auth_users where role = 'operator' and email_verified order by id`,
  );
}
