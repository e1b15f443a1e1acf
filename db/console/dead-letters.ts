import { sql } from "drizzle-orm";
import { ledgerNowMs, rows, type Transaction, transact } from "../connection";
import { type DeadLetterFilter, deadLettersWhere } from "../redrive/filter";
import { fail, ok, type Result } from "../rules/errors";
import type { DeadReason } from "../rules/lifecycle";
import type { Channel } from "../rules/outcome";
import { microseconds, olderThan, readPlace, writePlace } from "./cursor";

/** Dead letters of one partition that died for one reason in one stretch of time: one incident, usually. */
export interface DeadLetterGroup {
  partition: string;
  channel: Channel;
  reason: DeadReason;
  /** The stretch, as `diedAfterMs` and `diedBeforeMs` of a filter. */
  fromMs: number;
  untilMs: number;
  count: number;
  /** How many of them somebody has dismissed. */
  dismissed: number;
  /** How many have an unknown outcome: a repeat may reach somebody twice. */
  unknown: number;
  /** How many are past their usefulness already. */
  expired: number;
  oldestMs: number;
  newestMs: number;
  /** What the provider said last to the newest `ANSWERS_OF` of them, by count: at most `SAMPLE_MAX`. */
  answers: ProviderAnswerCount[];
}

export interface ProviderAnswerCount {
  class: string | null;
  status: number | null;
  code: string | null;
  count: number;
}

export interface DeadLetterGroups {
  groups: DeadLetterGroup[];
  total: number;
  bucketMs: number;
  nowMs: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Up to two days are told apart by the hour, more by the day: some dozens of stretches either way. */
const HOURLY_UP_TO_MS = 2 * DAY_MS;

const SAMPLE_MAX = 3;

/** One incident fails for one cause or two: the newest of a group name them, and each is a look at its last call. */
export const ANSWERS_OF = 100;

/** As many incidents as anybody reads; narrower filters show the others. */
const GROUPS_MAX = 200;

/** Dead letters grouped by partition, reason and time, the latest first. */
export async function groupDeadLetters(filter: DeadLetterFilter): Promise<DeadLetterGroups> {
  return transact(async (tx) => {
    const nowMs = await ledgerNowMs(tx);
    const [range] = await rows<{ oldestMs: number | null; total: number }>(
      tx,
      sql`select epoch_ms(min(d.finished_at)) as "oldestMs", count(*)::int as total from deliveries d
        where ${deadLettersWhere(filter)}`,
    );
    const oldestMs = range?.oldestMs ?? nowMs;
    const bucketMs = nowMs - oldestMs <= HOURLY_UP_TO_MS ? HOUR_MS : DAY_MS;
    const groups = await readGroups(tx, filter, bucketMs);
    return { groups, total: range?.total ?? 0, bucketMs, nowMs };
  });
}

function readGroups(tx: Transaction, filter: DeadLetterFilter, bucketMs: number): Promise<DeadLetterGroup[]> {
  const bucket = sql`(${bucketMs} * interval '1 millisecond')`;
  return rows<DeadLetterGroup>(
    tx,
    sql`with grouped as (
        select d.partition, d.channel, d.reason, date_bin(${bucket}, d.finished_at, from_epoch_ms(0)) as bin,
          count(*)::int as count, count(d.dismissed_at)::int as dismissed, count(d.unresolved_since)::int as unknown,
          (count(*) filter (where d.expires_at <= ledger_now()))::int as expired,
          min(d.finished_at) as oldest, max(d.finished_at) as newest
        from deliveries d where ${deadLettersWhere(filter)} group by d.partition, d.channel, d.reason, bin
        order by bin desc, count desc, d.partition, d.reason limit ${GROUPS_MAX}
      )
      select g.partition, g.channel, g.reason, epoch_ms(g.bin) as "fromMs", epoch_ms(g.bin + ${bucket}) as "untilMs",
        g.count, g.dismissed, g.unknown, g.expired, epoch_ms(g.oldest) as "oldestMs", epoch_ms(g.newest) as "newestMs",
        (select coalesce(jsonb_agg(jsonb_build_object('class', c.class, 'status', c.status, 'code', c.code, 'count', c.count)
            order by c.count desc, c.class, c.status, c.code), '[]'::jsonb) from (
          select a.class, a.status, a.code, count(*)::int as count from (
            select d.id, d.attempt_count from deliveries d
            where ${deadLettersWhere(filter)} and d.partition = g.partition and d.channel = g.channel and d.reason = g.reason
              and d.finished_at between g.oldest and g.newest
            order by d.finished_at desc limit ${ANSWERS_OF}
          ) newest left join attempts a on a.delivery_id = newest.id and a.number = newest.attempt_count
          group by a.class, a.status, a.code order by count(*) desc, a.class, a.status, a.code limit ${SAMPLE_MAX}
        ) c) as answers
      from grouped g order by g.bin desc, g.count desc, g.partition, g.reason`,
  );
}

/** One dead letter in a list. Nothing personal: addresses and texts are not read here. */
export interface DeadLetterLine {
  id: string;
  reference: string;
  key: string;
  burialId: string;
  channel: Channel;
  partition: string;
  reason: DeadReason;
  /** How it would have ended, had every outcome been known. */
  wish: string | null;
  lastClass: string | null;
  /** What the provider said last. */
  status: number | null;
  code: string | null;
  detail: string | null;
  attempts: number;
  failures: number;
  throttles: number;
  scheduledAtMs: number;
  diedAtMs: number;
  expiresAtMs: number;
  unresolvedSinceMs: number | null;
  dismissedAtMs: number | null;
  /** The unfinished redrive that has it. */
  redriveId: string | null;
}

export interface DeadLetterPage {
  deadLetters: DeadLetterLine[];
  /** Where the list goes on; null at its end. */
  next: string | null;
  nowMs: number;
}

/** A page of dead letters, the latest first; a page never skips or repeats a row that stays dead. */
export async function listDeadLetters(
  filter: DeadLetterFilter,
  options: { after?: string; limit: number; dismissed?: boolean },
): Promise<Result<DeadLetterPage>> {
  const after = options.after === undefined ? null : readPlace(options.after);
  if (options.after !== undefined && after === null) return fail({ code: "not_found", what: "page" });
  const dismissed =
    options.dismissed === undefined
      ? sql`true`
      : options.dismissed
        ? sql`d.dismissed_at is not null`
        : sql`d.dismissed_at is null`;
  return transact(async (tx) => {
    const found = await rows<DeadLetterLine & { atUs: string }>(
      tx,
      sql`select ${LINE}, ${microseconds(sql`d.finished_at`)} as "atUs" from ${LINE_FROM}
        where ${deadLettersWhere(filter)} and ${dismissed} and ${olderThan(after, sql`d.finished_at`, sql`d.id`)}
        order by d.finished_at desc, d.id desc limit ${options.limit + 1}`,
    );
    const shown = found.slice(0, options.limit);
    const last = shown.at(-1);
    return ok({
      deadLetters: shown.map(({ atUs: _, ...line }) => line),
      next: found.length > options.limit && last !== undefined ? writePlace(last) : null,
      nowMs: await ledgerNowMs(tx),
    });
  });
}

const LINE = sql`d.id, d.reference, d.key, d.burial_id as "burialId", d.channel, d.partition, d.reason, d.wish,
  d.last_class as "lastClass", a.status, a.code, a.detail, d.attempt_count as attempts, d.failure_count as failures,
  d.throttle_count as throttles, epoch_ms(d.scheduled_at) as "scheduledAtMs", epoch_ms(d.finished_at) as "diedAtMs",
  epoch_ms(d.expires_at) as "expiresAtMs", epoch_ms(d.unresolved_since) as "unresolvedSinceMs",
  epoch_ms(d.dismissed_at) as "dismissedAtMs",
  (select m.redrive_id from redrive_members m where m.burial_id = d.burial_id and m.active) as "redriveId"`;

const LINE_FROM = sql`deliveries d left join attempts a on a.delivery_id = d.id and a.number = d.attempt_count`;

/** One of the calls that were made for a dead letter. */
export interface DeadLetterAttempt {
  number: number;
  begunAtMs: number;
  settledAtMs: number | null;
  class: string | null;
  status: number | null;
  code: string | null;
  retryAfter: string | null;
  providerMessageId: string | null;
  /** The provider's words, cleaned of anything personal before they were stored. */
  detail: string | null;
  callMs: number | null;
  runId: string;
}

export interface DeadLetterDetail extends DeadLetterLine {
  history: DeadLetterAttempt[];
  /** What every call carried: the same reference, payload and bytes. The content itself is not shown to operators. */
  request: {
    reference: string;
    payloadId: string;
    version: number;
    contentHash: string | null;
    wiped: boolean;
  };
  /** The address as operators may see it. */
  destination: { state: string; stateReason: string | null; masked: string };
  firstAttemptAtMs: number | null;
  latestAttemptAtMs: number | null;
  reconcileAtMs: number | null;
  /** Every redrive that it was part of, the latest first. */
  redrives: {
    id: string;
    state: string;
    memberState: string;
    outcome: string | null;
    verdict: string;
    createdAtMs: number;
  }[];
  nowMs: number;
}

/** One dead letter with every call and redrive, by its reference. */
export async function readDeadLetter(reference: string): Promise<Result<DeadLetterDetail>> {
  return transact(async (tx) => {
    const [found] = await rows<Omit<DeadLetterDetail, "nowMs">>(
      tx,
      sql`select ${LINE}, epoch_ms(d.first_attempt_at) as "firstAttemptAtMs",
          epoch_ms(d.latest_attempt_at) as "latestAttemptAtMs", epoch_ms(d.reconcile_at) as "reconcileAtMs",
          (select coalesce(jsonb_agg(jsonb_build_object('number', h.number, 'begunAtMs', epoch_ms(h.begun_at),
              'settledAtMs', epoch_ms(h.settled_at), 'class', h.class, 'status', h.status, 'code', h.code,
              'retryAfter', h.retry_after, 'providerMessageId', h.provider_message_id, 'detail', h.detail,
              'callMs', h.call_ms, 'runId', h.run_id) order by h.number), '[]'::jsonb)
            from attempts h where h.delivery_id = d.id) as history,
          jsonb_build_object('reference', d.reference, 'payloadId', d.payload_id, 'version', d.version,
            'contentHash', d.content_hash, 'wiped', p.content is null) as request,
          jsonb_build_object('state', x.state, 'stateReason', x.state_reason, 'masked', ${MASKED}) as destination,
          (select coalesce(jsonb_agg(jsonb_build_object('id', r.id, 'state', r.state, 'memberState', m.state,
              'outcome', m.outcome, 'verdict', m.verdict, 'createdAtMs', epoch_ms(r.created_at)) order by r.created_at desc),
              '[]'::jsonb)
            from redrive_members m join redrives r on r.id = m.redrive_id
            where m.delivery_id = d.id and r.state <> 'previewed') as redrives
        from ${LINE_FROM} join destinations x on x.id = d.destination_id join payloads p on p.id = d.payload_id
        where d.reference = ${reference} and d.state = 'dead'`,
    );
    if (found === undefined) return fail({ code: "not_found", what: "dead letter" });
    return ok({ ...found, nowMs: await ledgerNowMs(tx) });
  });
}

/** Enough to compare with what a caller says, not enough to write to: domain, last digits, host of the push service. */
const MASKED = sql`case x.channel
  when 'email' then left(x.address, 1) || '…@' || split_part(x.address, '@', 2)
  when 'sms' then '…' || right(x.address, 3)
  else substring(x.address from '^[a-z]+://([^/]+)') end`;
