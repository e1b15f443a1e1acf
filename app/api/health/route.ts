import { after } from "next/server";
import { readOutboxLag } from "../../../db/outbox";
import { lastSweepAgeMs } from "../../../db/sweeps";
import { SWEEP_OVERDUE_MS, sweepIfOverdue } from "../../../inngest/sweep";
import { inTime } from "../../_shell/in-time";

export const dynamic = "force-dynamic";

const NOT_KEPT = { "cache-control": "no-store" };

/**
 * Whether this process can do its work: 200 with the facts, or 503 when the database does not answer. A sweep that is
 * overdue is a fact, not a failure: this check starts one, after the answer.
 */
export async function GET(): Promise<Response> {
  const facts = await inTime(readFacts()).catch(() => null);
  if (facts === null) {
    return Response.json({ ok: false, database: "unreachable" }, { status: 503, headers: NOT_KEPT });
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

async function readFacts(): Promise<{ sweepAgeMs: number | null; waiting: number }> {
  const sweepAgeMs = await lastSweepAgeMs();
  return { sweepAgeMs, waiting: (await readOutboxLag()).waiting };
}
