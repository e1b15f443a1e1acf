import { sql } from "drizzle-orm";
import { rows, transact } from "../connection";
import { emailIdentity } from "../rules/email-address";
import { fail, ok, type Result } from "../rules/errors";
import { isId } from "../rules/id";

/**
 * The one person whom somebody names: by our id, by the shop's id, by a proved address or number, or by the address that
 * they sign in with. Several are a conflict that lists their ids: nobody is erased by a guess.
 */
export async function findPerson(who: string): Promise<Result<{ subscriberId: string }>> {
  return transact(async (tx): Promise<Result<{ subscriberId: string }>> => {
    const found = await rows<{ id: string }>(
      tx,
      sql`select s.id from subscribers s where s.erased_at is null
        and (s.id = ${isId(who) ? who : null}::uuid or s.external_id = ${who}
        or exists (select 1 from auth_users u where u.id = s.user_id and lower(u.email) = ${emailIdentity(who)})
        or exists (select 1 from destinations d where d.subscriber_id = s.id and d.channel <> 'push'
          and d.verified_at is not null and d.state <> 'retired' and lower(d.address) = ${emailIdentity(who)}))
        order by s.id limit 20`,
    );
    const [one, ...more] = found;
    if (one === undefined) return fail({ code: "not_found", what: "person" });
    if (more.length === 0) return ok({ subscriberId: one.id });
    const ids = found.map(({ id }) => id).join(", ");
    return fail({ code: "conflict", why: `Several people fit; name one by id: ${ids}.` });
  });
}
