import { after } from "next/server";
import { readOutboxLag } from "../../../db/outbox";
import { lastSweepAgeMs } from "../../../db/sweeps";
import { SWEEP_OVERDUE_MS, sweepIfOverdue } from "../../../inngest/sweep";

export const dynamic = "force-dynamic";

/**
 * Whether this process can do its work: 200 with the facts, or 503 when the database does not answer. A sweep that is
 * overdue is a fact, not a failure: this check starts one, after the answer.
 */
export async function GET(): Promise<Response> {
  try {
    const [sweepAgeMs, outbox] = [await lastSweepAgeMs(), await readOutboxLag()];
    after(sweepIfOverdue);
    return Response.json({
      ok: true,
      database: "reachable",
      sweep: {
        ageMs: sweepAgeMs === null ? null : Math.round(sweepAgeMs),
        overdue: sweepAgeMs === null || sweepAgeMs > SWEEP_OVERDUE_MS,
      },
      outbox: { waiting: outbox.waiting },
    });
  } catch {
    return Response.json({ ok: false, database: "unreachable" }, { status: 503 });
  }
}
