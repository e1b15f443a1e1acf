import { sql } from "drizzle-orm";
import { rows, type Transaction, transact } from "./connection";
import { effects } from "./effects";
import { emailIdentity } from "./rules/email-address";
import { addDestination } from "./subscribers";

/**
 * The subscriber to whom a sign-in code for this address goes: whoever has proved it, else a new one. The address stays
 * unproved until the code comes back. An address that the shop wrote down and nobody has proved finds nobody: with a
 * slip of the shop's keyboard a stranger would read somebody's reminders.
 */
export async function subscriberForSignIn(
  email: string,
  defaults: { timeZone: string; locale: string },
): Promise<{ subscriberId: string; destinationId: string }> {
  return transact((tx) => findOrAddByEmail(tx, email, defaults, null));
}

/** `forUserId`: only a subscriber that this account has, or that no account has. */
async function findOrAddByEmail(
  tx: Transaction,
  email: string,
  defaults: { timeZone: string; locale: string },
  forUserId: string | null,
): Promise<{ subscriberId: string; destinationId: string }> {
  const identity = emailIdentity(email);
  // Two sign-ins of one new address at once must not make two people.
  await rows(tx, sql`select pg_advisory_xact_lock(hashtextextended(${identity}, 7446003))`);
  const [known] = await rows<{ subscriberId: string; destinationId: string }>(
    tx,
    sql`select d.subscriber_id as "subscriberId", d.id as "destinationId"
      from destinations d join subscribers s on s.id = d.subscriber_id
      where d.channel = 'email' and lower(d.address) = ${identity} and d.state <> 'retired'
        and (d.verified_at is not null or s.external_id is null)
        and (${forUserId === null} or s.user_id is null or s.user_id = ${forUserId})
      order by (s.user_id is not null) desc, (d.verified_at is not null) desc, d.created_at limit 1`,
  );
  if (known !== undefined) return known;
  const subscriberId = effects.newId();
  await rows(
    tx,
    sql`insert into subscribers (id, time_zone, locale, created_at)
      values (${subscriberId}::uuid, ${defaults.timeZone}, ${defaults.locale}, ledger_now())`,
  );
  const destinationId = await addDestination(tx, subscriberId, {
    channel: "email",
    address: email,
    verified: false,
  });
  return { subscriberId, destinationId };
}

/**
 * Links an account to the subscriber whose address it has just proved; returns the subscriber's id. Null when the account
 * or the person was erased meanwhile: nobody is made anew of what is to be forgotten.
 */
export async function linkSubscriber(userId: string, email: string): Promise<string | null> {
  return transact(async (tx) => {
    const [linked] = await rows<{ id: string }>(
      tx,
      sql`select id from subscribers where user_id = ${userId}`,
    );
    if (linked !== undefined) return linked.id;
    // Whoever erases the account waits for this, or this finds it gone.
    const account = await rows(tx, sql`select from auth_users where id = ${userId} for key share`);
    if (account.length === 0) return null;
    const target = await findOrAddByEmail(tx, email, { timeZone: "UTC", locale: "en" }, userId);
    const taken = await rows(
      tx,
      sql`update subscribers set user_id = ${userId}
        where id = ${target.subscriberId}::uuid and (user_id is null or user_id = ${userId}) and erased_at is null
        returning 1`,
    );
    if (taken.length === 0) return null;
    await rows(
      tx,
      sql`update destinations set verified_at = coalesce(verified_at, ledger_now())
        where id = ${target.destinationId}::uuid`,
    );
    return target.subscriberId;
  });
}
