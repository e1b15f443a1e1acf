import { createHash, timingSafeEqual } from "node:crypto";
import { readCertainty } from "../../../db/cleanup/certainty";
import { readCleanupRuns } from "../../../db/cleanup/runs";
import { config } from "../../../db/config";
import { database } from "../../../db/connection";
import { readAnswers, readEndings } from "../../../db/console/questions";
import { gateOn, readSlos } from "../../../db/console/slos";
import { readOutboxLag } from "../../../db/outbox";
import { lastSweepAgeMs } from "../../../db/sweeps";
import { callTimeRegistry } from "../../../inngest/call-times";
import { log } from "../../../inngest/log";
import { inTime } from "../../_shell/in-time";
import { ledgerMetrics } from "./queue-metrics";

export const dynamic = "force-dynamic";

const MINUTE_MS = 60_000;

/** Under the ten seconds after which Prometheus gives a scrape up by default: then it says why. */
const SCRAPE_MS = 8_000;

/** Over how much of the past shares and percentiles are taken: the gate's own window. */
const WINDOW_MS = 15 * MINUTE_MS;

/**
 * Metrics for Prometheus, for whoever holds `METRICS_TOKEN`; without the setting there are none. Queue figures are read
 * from the ledger at the scrape, so that every process answers alike; only call times are the process's own.
 */
export async function GET(request: Request): Promise<Response> {
  const token = config().metricsToken;
  if (token === null) return new Response("Metrics are off: METRICS_TOKEN is not set.\n", { status: 404 });
  if (!isSame(request.headers.get("authorization") ?? "", `Bearer ${token}`)) {
    const headers = { "www-authenticate": "Bearer", "cache-control": "no-store" };
    return new Response("A bearer token is wanted.\n", { status: 401, headers });
  }
  const own = callTimeRegistry();
  const figures = await inTime(readFigures(), SCRAPE_MS).catch((error: unknown) => {
    log.error("metrics could not be read", { error });
    return null;
  });
  if (figures === null) {
    const headers = { "cache-control": "no-store", "retry-after": "15" };
    return new Response("The ledger does not answer.\n", { status: 503, headers });
  }
  const ledger = ledgerMetrics(figures);
  const text = `${await ledger.metrics()}\n${await own.metrics()}`;
  return new Response(text, { headers: { "content-type": own.contentType, "cache-control": "no-store" } });
}

async function readFigures() {
  const [answers, lastFive, lastHour, slos] = [
    await readAnswers(WINDOW_MS),
    await readEndings(5 * MINUTE_MS),
    await readEndings(60 * MINUTE_MS),
    await readSlos(),
  ];
  const [cleanup] = await readCleanupRuns(1);
  return {
    answers,
    gate: gateOn(answers, slos),
    burn: [
      { window: "5m" as const, endings: lastFive },
      { window: "1h" as const, endings: lastHour },
    ],
    outbox: await readOutboxLag(),
    sweepAgeMs: await lastSweepAgeMs(),
    cleanup: cleanup ?? null,
    certain: (await readCertainty(database())).certain,
  };
}

/** Compared by hash, in constant time. */
function isSame(given: string, wanted: string): boolean {
  const hash = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(given), hash(wanted));
}
