import { sql } from "drizzle-orm";

/**
 * When delivery `d` may be sent next, in epoch milliseconds; null when nothing is in its way. What is dead may keep a time
 * that a late refusal named for its redrive (`heedLateRefusals`), and waits for nothing until then.
 */
export const NEXT_ELIGIBLE_MS = sql`case when d.state <> 'dead' then epoch_ms(d.next_eligible_at) end`;
