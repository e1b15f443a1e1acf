import { sql } from "drizzle-orm";
import { z } from "zod";
import { readPartition } from "../admission/partitions";
import { ledgerNowMs, rows, type Transaction, transact } from "../connection";
import { effects } from "../effects";
import { fail, ok, type Result } from "../rules/errors";
import { forecastDrainMs } from "../rules/forecast";
import { paceOf } from "../rules/redrive-pace";
import { REDRIVE_VERDICTS, type RedriveVerdict, redriveVerdict } from "../rules/redrive-verdict";
import { type DeadFacts, readDeadFacts } from "./facts";
import { readFigures } from "./figures";
import { deadLetterFilter, deadLettersWhere } from "./filter";
import type { PartitionForecast, RedrivePreview } from "./views";

/** What an operator asks for. */
export const redriveRequest = z.strictObject({
  filter: deadLetterFilter,
  /** Unknown outcomes too, although they may reach somebody twice. */
  includeAmbiguous: z.boolean().default(false),
  /** Per second and partition, at most. */
  ratePerSecond: z.number().positive().max(10_000).optional(),
});
export type RedriveRequest = z.input<typeof redriveRequest>;

/** Members of one redrive: what a person can still judge by its counts. More need another. */
export const MEMBERS_MAX = 10_000;

const DAY_MS = 86_400_000;

/** Previews that nobody confirmed are thrown away after a day. */
const PREVIEW_KEPT_MS = DAY_MS;

const SAMPLE_MAX = 5;

export interface Previewed {
  id: string;
  members: number;
  /** What a start must repeat. */
  wouldSend: number;
  preview: RedrivePreview;
}

interface Judged extends DeadFacts {
  verdict: RedriveVerdict;
}

/**
 * Chooses dead letters, freezes the set, and says what would become of each: nothing is sent. The set and the preview
 * are stored; `startRedrive` starts exactly these.
 */
export async function previewRedrive(request: RedriveRequest, operator: string): Promise<Result<Previewed>> {
  const { filter, includeAmbiguous, ratePerSecond } = redriveRequest.parse(request);
  return transact(async (tx) => {
    const nowMs = await ledgerNowMs(tx);
    await rows(
      tx,
      sql`delete from redrives where state = 'previewed'
        and created_at < ledger_now() - ${PREVIEW_KEPT_MS} * interval '1 millisecond'`,
    );
    const found = await readDeadFacts(tx, deadLettersWhere(filter), { own: null, limit: MEMBERS_MAX + 1 });
    if (found.length === 0) return fail({ code: "not_found", what: "dead letter as this filter asks for" });
    const members = found.slice(0, MEMBERS_MAX).map((facts) => ({
      ...facts,
      verdict: redriveVerdict(facts, { nowMs, includesAmbiguous: includeAmbiguous }),
    }));
    const going = members.filter((member) => member.verdict === "would_send");
    const partitions = await forecastPartitions(tx, going, { nowMs, asked: ratePerSecond ?? null });
    const preview = summarise(members, partitions, {
      nowMs,
      more: found.length > MEMBERS_MAX,
      answers: await readAnswers(tx, going),
    });
    const id = effects.newId();
    await rows(
      tx,
      sql`insert into redrives (id, origin, state, filter, includes_ambiguous, asked_per_second, members, would_send, preview,
          previewed_by, created_at)
        values (${id}::uuid, 'operator', 'previewed', ${JSON.stringify(filter)}::jsonb, ${includeAmbiguous},
          ${ratePerSecond ?? null}::float8, ${members.length}, ${going.length}, ${JSON.stringify(preview)}::jsonb, ${operator},
          ledger_now())`,
    );
    await insertMembers(tx, id, members);
    return ok({ id, members: members.length, wouldSend: going.length, preview });
  });
}

/** Freezes the set: those that would go wait, the others are kept with their verdict. */
async function insertMembers(tx: Transaction, id: string, members: readonly Judged[]): Promise<void> {
  const given = JSON.stringify(
    members.map(({ id: deliveryId, burialId, partition, reason, verdict }, position) => ({
      deliveryId,
      burialId,
      partition,
      reason,
      verdict,
      position,
    })),
  );
  await rows(
    tx,
    sql`insert into redrive_members (redrive_id, delivery_id, burial_id, partition, position, reason, verdict, state, active)
      select ${id}::uuid, w."deliveryId", w."burialId", w.partition, w.position, w.reason, w.verdict,
        case when w.verdict = 'would_send' then 'pending' else 'left_out' end, false
      from jsonb_to_recordset(${given}::jsonb) as w("deliveryId" uuid, "burialId" uuid, partition text, position int,
        reason text, verdict text)`,
  );
  await rows(
    tx,
    sql`insert into redrive_partitions (redrive_id, partition, released, canary_from, next_at, pace)
      select ${id}::uuid, m.partition, 0, 0, ledger_now(), 0 from redrive_members m
      where m.redrive_id = ${id}::uuid and m.state = 'pending' group by m.partition`,
  );
}

function summarise(
  members: readonly Judged[],
  partitions: readonly PartitionForecast[],
  context: { nowMs: number; more: boolean; answers: RedrivePreview["answers"] },
): RedrivePreview {
  const drains = partitions.map((partition) => partition.redriveMs);
  const early = partitions.map((partition) => partition.expireFirst);
  const count = (list: readonly Judged[]) => ({
    members: list.length,
    wouldSend: list.filter((member) => member.verdict === "would_send").length,
  });
  const ageMs = (member: Judged) => context.nowMs - (member.finishedAtMs ?? context.nowMs);
  return {
    verdicts: REDRIVE_VERDICTS.flatMap((verdict) => {
      const alike = members.filter((member) => member.verdict === verdict);
      if (alike.length === 0) return [];
      return [{ verdict, count: alike.length, sample: alike.slice(0, SAMPLE_MAX).map(({ key }) => key) }];
    }),
    channels: (["email", "sms", "push"] as const).flatMap((channel) => {
      const alike = members.filter((member) => member.channel === channel);
      return alike.length === 0 ? [] : [{ channel, ...count(alike) }];
    }),
    ages: AGES_MS.flatMap((upToMs, index) => {
      const fromMs = AGES_MS[index - 1] ?? Number.NEGATIVE_INFINITY;
      const alike = members.filter((member) => ageMs(member) > fromMs && ageMs(member) <= upToMs);
      return alike.length === 0 ? [] : [{ upToMs: Number.isFinite(upToMs) ? upToMs : null, ...count(alike) }];
    }),
    mayDuplicate: members.filter(
      (member) => member.verdict === "would_send" && member.unresolvedSinceMs !== null,
    ).length,
    answers: context.answers,
    partitions: [...partitions],
    drainMs: drains.includes(null) ? null : Math.max(0, ...drains.map(Number)),
    expireFirst: early.includes(null) ? null : early.reduce<number>((sum, value) => sum + (value ?? 0), 0),
    more: context.more,
  };
}

/** An hour, six, a day, three days, and everything older. */
const AGES_MS = [DAY_MS / 24, DAY_MS / 4, DAY_MS, 3 * DAY_MS, Number.POSITIVE_INFINITY];

async function forecastPartitions(
  tx: Transaction,
  going: readonly Judged[],
  context: { nowMs: number; asked: number | null },
): Promise<PartitionForecast[]> {
  const forecasts: PartitionForecast[] = [];
  for (const key of [...new Set(going.map((member) => member.partition))].sort()) {
    const partition = await readPartition(tx, key);
    if (partition === null) continue;
    const { nowMs } = context;
    const figures = await readFigures(tx, partition, { nowMs, sinceMs: nowMs });
    // The ramp is over after a minute or two and would only blur the answer.
    const { pace, limitedBy } = paceOf(figures, {
      askedPerSecond: context.asked,
      pacedSinceMs: nowMs - DAY_MS,
    });
    const own = going.filter((member) => member.partition === key);
    const { liveBacklog: backlog, acceptedPerSecond, arrivalsPerSecond } = figures;
    const cost = own.reduce((sum, member) => sum + member.cost, 0);
    forecasts.push({
      partition: key,
      wouldSend: own.length,
      pace,
      limitedBy,
      backlog,
      acceptedPerSecond,
      arrivalsPerSecond,
      drainMs: forecastDrainMs({
        backlogCost: backlog,
        addedCost: cost,
        // An idle partition has accepted nothing because there was nothing: its meter knows better.
        perSecond: acceptedPerSecond > 0 ? acceptedPerSecond : figures.rate,
        arrivalsPerSecond,
      }),
      redriveMs: pace > 0 ? (cost / pace) * 1000 : null,
      expireFirst: pace > 0 ? countExpiring(own, pace, nowMs) : null,
    });
  }
  return forecasts;
}

/** Members in the order in which they go; each leaves when those before it have. */
function countExpiring(members: readonly Judged[], pace: number, nowMs: number): number {
  let before = 0;
  let expiring = 0;
  for (const member of members) {
    if (member.expiresAtMs <= nowMs + (before / pace) * 1000) expiring += 1;
    else before += member.cost;
  }
  return expiring;
}

/** What the providers said last, by count: the cause should be known before it is met again. */
function readAnswers(tx: Transaction, going: readonly Judged[]): Promise<RedrivePreview["answers"]> {
  return rows(
    tx,
    sql`select d.reason, a.class, a.status, a.code, max(a.detail) as detail, count(*)::int as count
      from deliveries d left join attempts a on a.delivery_id = d.id and a.number = d.attempt_count
      where d.id = any(string_to_array(${going.map((member) => member.id).join(",")}, ',')::uuid[])
      group by d.reason, a.class, a.status, a.code order by count(*) desc, d.reason, a.class limit ${SAMPLE_MAX * 2}`,
  );
}
