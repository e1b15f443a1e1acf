import { sql } from "drizzle-orm";
import { at, rows, type Transaction, uuids } from "../connection";
import { storePayloads } from "../payloads";
import { type EditableDelivery, type EditPlan, stepDelaysMs } from "../rules/edit-plan";
import type { Channel } from "../rules/outcome";

/** What an edited reminder says of its deliveries. */
interface Edited {
  channels: Channel[];
  dueAtMs: number;
  wallTime: string;
  timeZone: string;
  timeChanged: boolean;
  stepMinutes: number | null;
  expiresAfterSeconds: number;
}

/**
 * Gives untried deliveries the new version in place. `scheduled` at the new time, one channel after the other where that
 * is wished, or at the time they had; quiet hours and everything else are asked again at the claim.
 */
export async function repoint(
  tx: Transaction,
  { repoint: targets, carried, newOccurrence }: EditPlan,
  edited: Edited,
  version: number,
  contents: readonly { channel: Channel; content: unknown; cost: number }[],
): Promise<void> {
  if (targets.length === 0) return;
  if (edited.timeChanged && (carried ?? newOccurrence).length === 0)
    await moveOccurrences(tx, targets, edited);
  const sources = [...new Set(targets.map((row) => row.occurrenceId))];
  await storePayloads(
    sources.flatMap((sourceId) => contents.map((content) => ({ ...content, sourceId, version }))),
    tx,
  );
  const newTime = edited.timeChanged
    ? sql`${at(edited.dueAtMs)} + w."delayMs" * interval '1 millisecond'`
    : sql`null::timestamptz`;
  const delays = [...stepDelaysMs(edited.channels, targets, edited.stepMinutes)];
  const steps = JSON.stringify(delays.map(([channel, delayMs]) => ({ channel, delayMs })));
  await rows(
    tx,
    sql`update deliveries d set state = 'scheduled', version = ${version}, payload_id = p.id, cost = p.cost, pass = null,
        scheduled_at = coalesce(${newTime}, d.scheduled_at),
        next_eligible_at = coalesce(${newTime}, d.next_eligible_at, ledger_now()),
        last_class = case when not ${edited.timeChanged} then d.last_class when w."delayMs" > 0 then 'not_before' end,
        expires_at = coalesce(${newTime}, d.scheduled_at) + ${edited.expiresAfterSeconds} * interval '1 second',
        admission_id = null, admitted_until = null, kept_by = null, kept_until = null
      from payloads p join jsonb_to_recordset(${steps}::jsonb) as w(channel text, "delayMs" float8) on w.channel = p.channel
      where d.id = any(${uuids(targets.map((row) => row.id))}) and p.source_id = d.occurrence_id
        and p.channel = d.channel and p.version = ${version}`,
  );
}

/** An opened occurrence all of which goes to another time is that time's: the calendar and the story say so. */
async function moveOccurrences(
  tx: Transaction,
  moved: readonly EditableDelivery[],
  edited: Edited,
): Promise<void> {
  await rows(
    tx,
    sql`update occurrences set due_at = ${at(edited.dueAtMs)}, wall_time = ${edited.wallTime}, time_zone = ${edited.timeZone}
      where id = any(${uuids(moved.map((row) => row.occurrenceId))})`,
  );
}
