import { sql } from "drizzle-orm";
import { type Executor, rows, type Transaction } from "../connection";

/** The account that somebody signs in with. */
export interface Account {
  userId: string;
  email: string;
  role: string;
}

/** The account of a subscriber; null when they never signed in. */
export async function readAccount(executor: Executor, subscriberId: string): Promise<Account | null> {
  const [account] = await rows<Account>(
    executor,
    sql`select u.id as "userId", u.email, u.role from auth_users u join subscribers s on s.user_id = u.id
      where s.id = ${subscriberId}::uuid`,
  );
  return account ?? null;
}

/** Removes the account with its sessions, and every code and link that is under way for its addresses. */
export async function eraseAccount(
  tx: Transaction,
  subscriberId: string,
  account: Account | null,
): Promise<void> {
  await rows(
    tx,
    sql`delete from auth_verifications v where v.identifier like ${`phone:${subscriberId}:%`}
      or exists (select 1 from (select address from destinations where subscriber_id = ${subscriberId}::uuid
          and channel = 'email' union all select ${account?.email ?? null}::text) as mine
        where lower(v.identifier) = 'sign-in-otp-' || lower(mine.address)
          or position('"' || lower(mine.address) || '"' in lower(v.value)) > 0)`,
  );
  if (account !== null) await rows(tx, sql`delete from auth_users where id = ${account.userId}`);
  // Somebody who has signed in and not yet met their subscriber: the account is theirs, and linked to nobody.
  await rows(
    tx,
    sql`delete from auth_users u where u.role = 'shopper' and not exists (select from subscribers s where s.user_id = u.id)
      and lower(u.email) in (select lower(address) from destinations
        where subscriber_id = ${subscriberId}::uuid and channel = 'email' and verified_at is not null)`,
  );
}
