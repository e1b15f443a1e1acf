import { after } from "next/server";
import { sqlState } from "../../../db/connection";
import { readOutboxLag } from "../../../db/outbox";
import { lastSweepAgeMs, tryToWrite } from "../../../db/sweeps";
import { SWEEP_OVERDUE_MS, sweepIfOverdue } from "../../../inngest/sweep";
import { inTime } from "../../_shell/in-time";

export const dynamic = "force-dynamic";

const NOT_KEPT = { "cache-control": "no-store" };

/**
 * Whether this process can do its work: 200 with the facts, or 503 when the database does not answer or takes no writes.
 * A sweep that is overdue is a fact, not a failure: this check starts one, after the answer.
 */
export async function GET(): Promise<Response> {
  const facts = await inTime(readFacts()).catch(whyNot);
  if (typeof facts === "string") {
    const headers = { ...NOT_KEPT, "retry-after": "5" };
    return Response.json({ ok: false, database: facts }, { status: 503, headers });
  }
  after(sweepIfOverdue);
  const { sweepAgeMs, waiting } = facts;
  const sweep = {
    ageMs: sweepAgeMs === null ? null : Math.round(sweepAgeMs),
    overdue: sweepAgeMs === null || sweepAgeMs > SWEEP_OVERDUE_MS,
  };
  return Response.json(
    { ok: true, database: "reachable", sweep, outbox: { waiting } },
    { headers: NOT_KEPT },
  );
}

/** A standby, or a database whose disk is full, answers questions and does no work. */
function whyNot(error: unknown): "unreachable" | "read-only" | "full" {
  const state = sqlState(error);
  return state === "25006" ? "read-only" : state === "53100" ? "full" : "unreachable";
}

async function readFacts(): Promise<{ sweepAgeMs: number | null; waiting: number }> {
  await tryToWrite();
  const sweepAgeMs = await lastSweepAgeMs();
  return { sweepAgeMs, waiting: (await readOutboxLag()).waiting };
}
