import { type SQL, sql } from "drizzle-orm";
import { type Executor, ledgerNowMs, rows, transact } from "../connection";
import { microseconds, olderThan, readPlace, writePlace } from "../console/cursor";
import { fail, ok, type Result } from "../rules/errors";
import { isId } from "../rules/id";
import type { RedriveDetail, RedriveLine, RedrivePartitionLine, RedriveProgress } from "./views";

const LINE = sql`r.id, r.origin, r.state, r.filter, r.includes_ambiguous as "includesAmbiguous",
  r.asked_per_second as "askedPerSecond", r.members, r.would_send as "wouldSend", r.previewed_by as "previewedBy",
  r.operator, r.reason, epoch_ms(r.created_at) as "createdAtMs", epoch_ms(r.started_at) as "startedAtMs",
  epoch_ms(r.paused_at) as "pausedAtMs", r.pause_kind as "pauseKind", r.pause_reason as "pauseReason",
  epoch_ms(r.ended_at) as "endedAtMs", r.result`;

/** A released member is where its delivery is, until the next tick writes it down. */
const MEMBER_STATE = sql`case when m.state = 'released' and d.redrive_id = m.redrive_id and d.state in ('delivered', 'dead', 'expired')
  then d.state else m.state end`;

type Stored = Omit<RedriveLine, "progress"> & { result: RedriveDetail["result"] };

/** How far these redrives have come, counted from their members. */
export async function readProgress(
  executor: Executor,
  ids: readonly string[],
): Promise<Map<string, RedriveProgress>> {
  const found = await rows<{ id: string; state: string; verdict: string | null; count: number }>(
    executor,
    sql`select c.id, c.state, c.verdict, count(*)::int as count from (
        select m.redrive_id as id, ${MEMBER_STATE} as state, case when m.state = 'skipped' then m.outcome end as verdict
        from redrive_members m join deliveries d on d.id = m.delivery_id
        where m.redrive_id = any(string_to_array(${ids.join(",")}, ',')::uuid[])
      ) c group by c.id, c.state, c.verdict`,
  );
  const progress = new Map(ids.map((id) => [id, nothingYet()]));
  for (const { id, state, verdict, count } of found) {
    const counts = progress.get(id);
    if (counts === undefined) continue;
    if (state === "left_out") counts.leftOut += count;
    else if (state === "released") counts.out += count;
    else counts[state as "pending" | "delivered" | "dead" | "expired" | "skipped"] += count;
    if (verdict !== null) counts.skippedBy = { ...counts.skippedBy, [verdict]: count };
  }
  return progress;
}

function nothingYet(): RedriveProgress {
  return { pending: 0, out: 0, delivered: 0, dead: 0, expired: 0, skipped: 0, skippedBy: {}, leftOut: 0 };
}

async function toLines(executor: Executor, stored: readonly Stored[]): Promise<RedriveLine[]> {
  const progress = await readProgress(
    executor,
    stored.map((row) => row.id),
  );
  return stored.map(({ result, ...line }) => {
    const counted = progress.get(line.id) ?? nothingYet();
    // Members go with cleanup; the counts at the end stay.
    const gone = counted.leftOut + counted.pending + counted.out + ended(counted) === 0;
    return { ...line, progress: gone ? (result ?? counted) : counted };
  });
}

const ended = ({ delivered, dead, expired, skipped }: RedriveProgress) =>
  delivered + dead + expired + skipped;

/** A page of redrives, the latest first; previews that nobody confirmed are not history. */
export async function listRedrives(options: {
  after?: string;
  limit: number;
  unfinished?: boolean;
}): Promise<Result<{ redrives: RedriveLine[]; next: string | null; nowMs: number }>> {
  const after = options.after === undefined ? null : readPlace(options.after);
  if (options.after !== undefined && after === null) return fail({ code: "not_found", what: "page" });
  const states: SQL = options.unfinished
    ? sql`r.state in ('running', 'paused')`
    : sql`r.state <> 'previewed'`;
  return transact(async (tx) => {
    const found = await rows<Stored & { atUs: string }>(
      tx,
      sql`select ${LINE}, ${microseconds(sql`r.created_at`)} as "atUs" from redrives r
        where ${states} and ${olderThan(after, sql`r.created_at`, sql`r.id`)}
        order by r.created_at desc, r.id desc limit ${options.limit + 1}`,
    );
    const shown = found.slice(0, options.limit);
    const last = shown.at(-1);
    return ok({
      redrives: await toLines(
        tx,
        shown.map(({ atUs: _, ...row }) => row),
      ),
      next: found.length > options.limit && last !== undefined ? writePlace(last) : null,
      nowMs: await ledgerNowMs(tx),
    });
  });
}

/** One redrive, a preview included: what was shown, how far it is, its pace per partition, and who did what. */
export async function readRedrive(id: string): Promise<Result<RedriveDetail>> {
  if (!isId(id)) return fail({ code: "not_found", what: "redrive" });
  return transact(async (tx) => {
    const [stored] = await rows<Stored & Pick<RedriveDetail, "preview" | "gate">>(
      tx,
      sql`select ${LINE}, r.preview, r.gate from redrives r where r.id = ${id}::uuid`,
    );
    if (stored === undefined) return fail({ code: "not_found", what: "redrive" });
    const { preview, gate, ...row } = stored;
    const [line] = await toLines(tx, [row]);
    const partitions = await rows<RedrivePartitionLine>(
      tx,
      sql`select p.partition, p.released, p.pace, p.limited_by as "limitedBy",
          case when p.paced_since is null then 'canary' else 'paced' end as stage,
          (select count(*)::int from redrive_members m where m.redrive_id = p.redrive_id and m.partition = p.partition
            and m.state = 'pending') as pending
        from redrive_partitions p where p.redrive_id = ${id}::uuid order by p.partition`,
    );
    const actions = await rows<RedriveDetail["actions"][number]>(
      tx,
      sql`select operator, action, reason, details, epoch_ms(created_at) as "atMs" from operator_actions
        where target = ${id} order by created_at desc, id desc limit 100`,
    );
    return ok({
      ...(line as RedriveLine),
      preview,
      gate,
      partitions,
      actions,
      result: row.result,
      nowMs: await ledgerNowMs(tx),
    });
  });
}
