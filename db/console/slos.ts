import { sql } from "drizzle-orm";
import { rows, type Transaction, transact } from "../connection";
import { type Operator, recordAction } from "../operator-actions";
import { fail, invalid, ok, type Result } from "../rules/errors";
import { type GateMeasure, measureLane, type Slo } from "../rules/slo";
import { type Answers, answersIn } from "./questions";

export interface StoredSlo extends Slo {
  changedBy: string | null;
  changedAtMs: number | null;
}

/** What every channel and lane promises. */
export function readSlos(): Promise<StoredSlo[]> {
  return transact((tx) => slosOf(tx));
}

function slosOf(tx: Transaction): Promise<StoredSlo[]> {
  return rows<StoredSlo>(
    tx,
    sql`select channel, lane, p99_age_ms as "p99AgeMs", p99_due_to_accepted_ms as "p99DueToAcceptedMs",
        throttled_share as "throttledShare", dead_per_thousand as "deadPerThousand", changed_by as "changedBy",
        epoch_ms(changed_at) as "changedAtMs"
      from slos order by channel, array_position(array['urgent', 'standard', 'bulk', 'redrive'], lane)`,
  );
}

export type SloChange = Partial<
  Pick<Slo, "p99AgeMs" | "p99DueToAcceptedMs" | "throttledShare" | "deadPerThousand">
>;

/** Sets what a channel and lane promise, with who and why. */
export async function setSlo(
  channel: string,
  lane: string,
  change: SloChange,
  operator: Operator,
): Promise<Result<StoredSlo>> {
  const { p99AgeMs, p99DueToAcceptedMs, throttledShare, deadPerThousand } = change;
  for (const [field, value] of Object.entries({ p99AgeMs, p99DueToAcceptedMs })) {
    if (value !== undefined && !(Number.isInteger(value) && value > 0 && value < 2 ** 31))
      return invalid(field, value, "whole milliseconds above 0");
  }
  if (throttledShare !== undefined && !(throttledShare >= 0 && throttledShare <= 1))
    return invalid("throttledShare", throttledShare, "a share from 0 to 1");
  if (deadPerThousand !== undefined && !(deadPerThousand >= 0 && deadPerThousand <= 1000))
    return invalid("deadPerThousand", deadPerThousand, "a number from 0 to 1000");
  return transact(async (tx): Promise<Result<StoredSlo>> => {
    const changed = await rows(
      tx,
      sql`update slos set p99_age_ms = coalesce(${p99AgeMs ?? null}::int, p99_age_ms),
          p99_due_to_accepted_ms = coalesce(${p99DueToAcceptedMs ?? null}::int, p99_due_to_accepted_ms),
          throttled_share = coalesce(${throttledShare ?? null}::float8, throttled_share),
          dead_per_thousand = coalesce(${deadPerThousand ?? null}::float8, dead_per_thousand),
          changed_by = ${operator.name}, changed_at = ledger_now()
        where channel = ${channel} and lane = ${lane} returning channel`,
    );
    if (changed.length === 0) return fail({ code: "not_found", what: "service level" });
    await recordAction(tx, operator, { action: "slo", target: `${channel}:${lane}`, details: { ...change } });
    const stored = (await slosOf(tx)).find((row) => row.channel === channel && row.lane === lane);
    return stored === undefined ? fail({ code: "not_found", what: "service level" }) : ok(stored);
  });
}

/** What the gate found. */
export interface GateOutcome {
  ok: boolean;
  atMs: number;
  sinceMs: number;
  measures: GateMeasure[];
}

/** What the gate looks at by default, also at the end of a redrive: long enough for shares to mean something. */
export const GATE_WINDOW_MS = 15 * 60_000;

/**
 * Compares what happened since `windowMs` ago with what each channel and lane promises: the check after a deploy, and at
 * the end of a redrive or a hand-over. A lane without work in the window has nothing to say and is left out.
 */
export function checkGate(windowMs: number): Promise<GateOutcome> {
  return transact((tx) => gateIn(tx, windowMs));
}

/** The same inside a transaction. */
export async function gateIn(tx: Transaction, windowMs: number): Promise<GateOutcome> {
  return gateOn(await answersIn(tx, windowMs), await slosOf(tx));
}

/** The same for answers that have been read already. */
export function gateOn(answers: Answers, slos: readonly Slo[]): GateOutcome {
  const windowSeconds = Math.max(1, (answers.atMs - answers.sinceMs) / 1000);
  const measures = slos.flatMap((slo) => {
    const isOfLane = (row: { channel: string; lane: string }) =>
      row.channel === slo.channel && row.lane === slo.lane;
    const delays = answers.delays.find(isOfLane);
    return measureLane(slo, { queues: answers.queues.filter(isOfLane), delays, windowSeconds });
  });
  return {
    ok: measures.every((measure) => measure.ok),
    atMs: answers.atMs,
    sinceMs: answers.sinceMs,
    measures,
  };
}
