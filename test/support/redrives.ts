import { sql } from "drizzle-orm";
import { database, rows } from "../../db/connection";
import { previewRedrive, type RedriveRequest } from "../../db/redrive/preview";
import { startRedrive } from "../../db/redrive/start";
import { type RedriveTick, stepRedrive } from "../../db/redrive/step";
import { type DeliveryOptions, type DeliveryRow, inMs, makeDelivery } from "./factories";

export const OPERATOR = { name: "olga", reason: "the provider is well again" };

/** Dead letters of one partition that may go again. */
export async function makeDead(
  count: number,
  partition: string,
  options: DeliveryOptions = {},
): Promise<DeliveryRow[]> {
  const made: DeliveryRow[] = [];
  for (let number = 0; number < count; number += 1) {
    made.push(
      await makeDelivery({ state: "dead", partition, failureCount: 5, contentHash: "hash", ...options }),
    );
  }
  return made;
}

/** A dead letter whose outcome nobody knows. */
export function makeUnknown(partition: string, options: DeliveryOptions = {}): Promise<DeliveryRow> {
  return makeDelivery({
    state: "dead",
    partition,
    reason: "outcome_unknown",
    unresolvedSince: inMs(-1000),
    contentHash: "hash",
    lastClass: "ambiguous",
    ...options,
  });
}

/** Previews and confirms. Returns the redrive's id. */
export async function started(request: RedriveRequest): Promise<string> {
  const previewed = await previewRedrive(request, OPERATOR.name);
  if (!previewed.ok) throw new Error(JSON.stringify(previewed.problem));
  const { id, wouldSend } = previewed.value;
  const start = await startRedrive({ id, confirm: wouldSend, operator: OPERATOR });
  if (!start.ok) throw new Error(JSON.stringify(start.problem));
  return start.value.redriveId;
}

/** One tick by its present driver. */
export async function tick(redriveId: string): Promise<RedriveTick> {
  return stepRedrive({ redriveId, generation: await generationOf(redriveId) });
}

export async function generationOf(redriveId: string): Promise<number> {
  const [row] = await rows<{ generation: number }>(
    database(),
    sql`select driver_generation as generation from redrives where id = ${redriveId}::uuid`,
  );
  return row?.generation ?? 0;
}

/** Ends released rows as accepted, as their runs would: through `sending`, with an attempt of their own. */
export async function accept(ids: readonly string[]): Promise<void> {
  await endAs(ids, sql`'delivered'`, sql`'accepted'`, sql`null`);
}

/** The same, dead again. */
export async function buryAgain(ids: readonly string[], reason = "attempts_exhausted"): Promise<void> {
  await endAs(ids, sql`'dead'`, sql`'transient'`, sql`${reason}`);
}

async function endAs(
  ids: readonly string[],
  state: ReturnType<typeof sql>,
  outcome: ReturnType<typeof sql>,
  reason: ReturnType<typeof sql>,
): Promise<void> {
  const chosen = sql`id = any(string_to_array(${ids.join(",")}, ',')::uuid[])`;
  await rows(
    database(),
    sql`update deliveries set state = 'sending', attempt_count = attempt_count + 1, token = token + 1,
      lease_until = ledger_now() + interval '15 seconds', latest_attempt_at = ledger_now(), next_eligible_at = null where ${chosen}`,
  );
  await rows(
    database(),
    sql`insert into attempts (id, delivery_id, number, token, run_id, epoch, slot_at, begun_at, settled_at, class)
      select gen_random_uuid(), id, attempt_count, token, 'run', 1, ledger_now(), ledger_now(), ledger_now(), ${outcome}
      from deliveries where ${chosen}`,
  );
  await rows(
    database(),
    sql`update deliveries set state = ${state}, reason = ${reason}, lease_until = null, finished_at = ledger_now(),
      last_class = ${outcome}, burial_id = case when ${state} = 'dead' then gen_random_uuid() else burial_id end where ${chosen}`,
  );
}

/** Ids of the rows that this redrive has handed to admission and that wait there. */
export async function waitingOf(redriveId: string): Promise<string[]> {
  const found = await rows<{ id: string }>(
    database(),
    sql`select id from deliveries where redrive_id = ${redriveId}::uuid and state = 'ready' order by pass, id`,
  );
  return found.map((row) => row.id);
}
