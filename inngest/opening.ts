import { EARLY_MS } from "../db/admission/admit";
import { ledgerNowMs, transact } from "../db/connection";
import { effects } from "../db/effects";
import { type DueOccurrence, readDue } from "../db/ledger/due";
import { openDeliveries } from "../db/ledger/open";
import { storePayloads } from "../db/payloads";
import { dispatchAll } from "./dispatch";
import { renderForChannels } from "./messages/reminder-payloads";
import { askShops } from "./shop-check";

export interface Opened {
  opened: number;
  deliveries: number;
  partitions: string[];
}

/** Occurrences opened per transaction: with three channels and a few devices that stays under 500 rows. */
const CHUNK = 100;

/** Chunks per call: 10,000 occurrences of one instant; what is left is taken by the next sweep. */
const CHUNKS_MAX = 100;

/**
 * Renders and opens every occurrence due in [fromMs, untilMs) and at most `earlyMs` away, chunk by chunk, and dispatches
 * as it goes.
 *
 * A crash after storing payloads leaves them for the next try (first rendering wins); after opening, deliveries wait in
 * the ledger for the pump or the sweep. Running it twice opens nothing twice.
 */
export async function openDueBetween(fromMs: number, untilMs: number, earlyMs = EARLY_MS): Promise<Opened> {
  const total: Opened = { opened: 0, deliveries: 0, partitions: [] };
  for (let chunk = 0; chunk < CHUNKS_MAX; chunk += 1) {
    const due = await readDue({ fromMs, untilMs, limit: CHUNK });
    if (due.length === 0) break;
    await askShops(due);
    await storePayloads(await renderAll(due));
    const outcome = await openDeliveries(
      due.map((row) => row.occurrenceId),
      earlyMs,
    );
    total.opened += outcome.opened;
    total.deliveries += outcome.deliveries;
    total.partitions = [...new Set([...total.partitions, ...outcome.partitions])];
    await dispatchAll(outcome.partitions);
    // Nothing opened: another opener has them, or they were edited away; do not spin on them.
    if (outcome.opened === 0 && outcome.stale === 0) break;
  }
  return total;
}

/** One after the other, with a breath between: calls of the second before leave while this one's are rendered. */
async function renderAll(due: readonly DueOccurrence[]) {
  const rendered: Awaited<ReturnType<typeof renderOccurrence>> = [];
  for (const row of due) {
    rendered.push(...(await renderOccurrence(row)));
    await effects.breathe();
  }
  return rendered;
}

async function renderOccurrence(due: DueOccurrence) {
  const contents = await renderForChannels(due);
  return contents.map((content) => ({ ...content, sourceId: due.occurrenceId, version: due.version }));
}

/** Opens one due second as a whole, `second` to `second + 1`, when it begins in at most `beginsInMs`. */
export function openDueSecond(second: number, beginsInMs = EARLY_MS): Promise<Opened> {
  return openDueBetween(second * 1000, (second + 1) * 1000, beginsInMs + 1_000);
}

/** The ledger's clock for callers that hold no transaction. */
export function readClockMs(): Promise<number> {
  return transact((tx) => ledgerNowMs(tx));
}
