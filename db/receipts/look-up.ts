import { sql } from "drizzle-orm";
import { at, rows, type Transaction, transact } from "../connection";
import { recordAction } from "../operator-actions";
import {
  judgeLookUp,
  type ListedMessage,
  LOOKS_AFTER_MS,
  type LookUpVerdict,
  type UnknownCalls,
} from "../rules/look-up";
import { twilioMeaning } from "../rules/receipt";
import { recordReport } from "./record";

/** Who it was that looked, in the audit log and in a delivery's timeline. */
const LOOKER = "Punctual";
const ACTION = "look-up";

/** Looks at one message end with the last of `LOOKS_AFTER_MS`; what ended before needs no look at the table. */
const ENDED_WITHIN_MS = (LOOKS_AFTER_MS.at(-1) ?? 0) + 2 * 3_600_000;

/** A message of which nobody knows whether the provider took it, and which may be looked up now. */
export interface UnknownMessage {
  id: string;
  key: string;
  reference: string;
  partition: string;
  address: string;
  content: unknown;
}

/**
 * Unknown outcomes of a provider without keys whose time for a look-up has come, the oldest first. Only texts: an email
 * whose outcome is unknown is repeated under its key until that is known, and a push is not listed anywhere.
 */
export function readLookUps(limit: number): Promise<UnknownMessage[]> {
  const waits = sql.join(
    LOOKS_AFTER_MS.map((afterMs, looks) => sql`when ${looks}::int then ${afterMs}::float8`),
    sql` `,
  );
  return transact((tx) =>
    rows<UnknownMessage>(
      tx,
      sql`select d.id, d.key, d.reference, d.partition, x.address, p.content
        from deliveries d join destinations x on x.id = d.destination_id join payloads p on p.id = d.payload_id
          cross join lateral (select count(*)::int as looks from operator_actions a
            where a.target = d.key and a.action = ${ACTION} and a.created_at >= d.finished_at) as done
        where d.state = 'dead' and d.reason = 'outcome_unknown' and d.channel = 'sms' and d.dismissed_at is null
          and d.finished_at > ledger_now() - ${ENDED_WITHIN_MS} * interval '1 millisecond'
          -- A copy that was promoted knows of no call: only a report or a person can say what its original did.
          and exists (select from attempts a where a.delivery_id = d.id and a.class in ('ambiguous', 'crashed'))
          and p.content is not null and done.looks < ${LOOKS_AFTER_MS.length}
          and d.reconcile_at + (case done.looks ${waits} end) * interval '1 millisecond' <= ledger_now()
        order by d.finished_at, d.id limit ${limit}`,
    ),
  );
}

/**
 * Judges what the provider's list said about a message and writes it down, where operators read it. Found, it is a report
 * like any other, and ends the delivery as delivered; everything else leaves the decision to a report or a person.
 */
export async function recordLookUp(
  message: UnknownMessage,
  listed: readonly ListedMessage[],
): Promise<LookUpVerdict> {
  const verdict = await transact(async (tx) => {
    const known = await readKnown(tx, message);
    const judged = judgeLookUp(listed, known);
    const operator = { name: LOOKER, reason: wordsOf(judged) };
    const details = judged.kind === "found" ? { found: judged.message.id } : { ...judged };
    await recordAction(tx, operator, { action: ACTION, target: message.key, details });
    return judged;
  });
  if (verdict.kind !== "undecided") await recordReport(reportOf(message, verdict));
  return verdict;
}

function reportOf({ reference }: UnknownMessage, verdict: Exclude<LookUpVerdict, { kind: "undecided" }>) {
  const provider = "twilio" as const;
  if (verdict.kind === "absent") {
    const none = { meaning: "not_found" as const, code: null, suppresses: null };
    return { provider, reportId: `look-up:${reference}`, reference, providerMessageId: null, ...none };
  }
  const { id, status, errorCode } = verdict.message;
  const accepted = { meaning: "accepted" as const, code: null, suppresses: null };
  const meaning = twilioMeaning(status, errorCode) ?? accepted;
  // The name that the status callback has: whichever comes first, the other is its repetition.
  return { provider, reportId: `${id}:${status}`, reference, providerMessageId: id, ...meaning };
}

function wordsOf(verdict: LookUpVerdict): string {
  switch (verdict.kind) {
    case "found":
      return `The provider's list has this message, as ${verdict.message.id} (${verdict.message.status}).`;
    case "absent":
      return "The provider's list has no message to this address from that time. That proves nothing by itself.";
    case "undecided":
      return `The provider's list has ${verdict.messages} to this address from that time; whose they are cannot be told.`;
  }
}

/** Further apart than a call, a margin of `judgeLookUp` and both clocks' rounding: no call of that time made ours. */
const NEAR_MS = 5 * 60_000;

/**
 * What our own ledger knows of that time: of the other messages to this address those that have a message of the list,
 * and those that may have made ours. Also what is being sent at this moment: its outcome is as unknown.
 */
async function readKnown(tx: Transaction, message: UnknownMessage): Promise<UnknownCalls> {
  const [calls] = await rows<{ firstAtMs: number; lastAtMs: number; nowMs: number; calls: number }>(
    tx,
    sql`select epoch_ms(min(begun_at)) as "firstAtMs", epoch_ms(max(begun_at)) as "lastAtMs",
        epoch_ms(ledger_now()) as "nowMs", count(*)::int as calls
      from attempts where delivery_id = ${message.id}::uuid and class in ('ambiguous', 'crashed')`,
  );
  if (calls === undefined || calls.calls === 0) throw new Error("Bug! an unknown outcome without a call");
  const { firstAtMs, lastAtMs, nowMs } = calls;
  const { text = "" } = message.content as { text?: string };
  const others = await rows<{ claimedId: string | null; alike: boolean }>(
    tx,
    sql`select d.provider_message_id as "claimedId", bool_or(p.content is null or p.content->>'text' = ${text}) as alike
      from attempts a join deliveries d on d.id = a.delivery_id join destinations x on x.id = d.destination_id
        join payloads p on p.id = d.payload_id
      where a.begun_at between ${at(firstAtMs - NEAR_MS)} and ${at(lastAtMs + NEAR_MS)}
        and (a.class is null or a.class in ('ambiguous', 'crashed', 'accepted'))
        and d.channel = 'sms' and d.id <> ${message.id}::uuid and x.address = ${message.address}
      group by d.id`,
  );
  return {
    firstAgeMs: nowMs - firstAtMs,
    lastAgeMs: nowMs - lastAtMs,
    calls: calls.calls,
    claimedIds: others.flatMap(({ claimedId }) => (claimedId === null ? [] : [claimedId])),
    rivals: others.filter(({ claimedId, alike }) => claimedId === null && alike).length,
  };
}
