import { EARLY_MS } from "../db/admission/admit";
import { processGeneration } from "../db/admission/partitions";
import { claimUnpublished, markPublished, type OutboxRow, releaseUnpublished } from "../db/outbox";
import { type EventData, type EventName, reminderScheduledV1 } from "../db/rules/event-catalog";
import { inTurn, isAwaited } from "./in-turn";
import { log } from "./log";
import { openDueSecond, readClockMs } from "./opening";
import { sendEvents } from "./send";
import { endPublishing, startPublishing } from "./tracing";

/** Rows taken at a time. */
const BATCH = 100;

/** Batches per call: bounds a doorbell; the cron goes on where it stopped. */
const BATCHES_MAX = 50;

/**
 * Publishes what waits in the outbox: the doorbell right after a commit, the cron as the net (P5). Each event carries
 * its stored id, so that publishing twice starts nothing twice for 24 h, and the ledger nothing twice ever.
 *
 * A wait whose time is less than `EARLY_MS` away would wake too late, or meet the id of a run that has already ended:
 * its second is opened here and now.
 *
 * A crash between sending and marking repeats the sending. A refusal gives the rows back for a few seconds.
 */
export async function publishOutbox(): Promise<{ published: number; refused: boolean }> {
  let published = 0;
  for (let batch = 0; batch < BATCHES_MAX; batch += 1) {
    const claimed = await claimUnpublished(BATCH);
    if (claimed.length === 0) break;
    const imminent = await openImminent(claimed);
    const rest = claimed.filter((row) => !imminent.has(row.id));
    const byId = new Map(rest.map((row) => [row.eventId, row]));
    const spans = startPublishing(rest);
    const taken = await sendEvents(
      [...byId.values()].map((row) => ({
        id: row.eventId,
        name: row.eventName,
        data: row.data as EventData<EventName>,
      })),
    );
    endPublishing(spans, taken);
    await markPublished([...imminent, ...(taken ? rest.map((row) => row.id) : [])]);
    published += imminent.size + (taken ? rest.length : 0);
    if (!taken) {
      await releaseUnpublished(rest.map((row) => row.id));
      return { published, refused: true };
    }
  }
  return { published, refused: false };
}

/** Opens the due seconds that are too near for a wait; the rows that are settled by it. */
async function openImminent(claimed: readonly OutboxRow[]): Promise<Set<string>> {
  const waits = claimed.filter((row) => row.eventName === "reminder/scheduled");
  if (waits.length === 0) return new Set();
  const nowMs = await readClockMs();
  const near = waits.filter((row) => {
    const parsed = reminderScheduledV1.safeParse(row.data);
    return parsed.success && parsed.data.dueSecond * 1000 - nowMs < EARLY_MS;
  });
  const seconds = new Set(near.map((row) => reminderScheduledV1.parse(row.data).dueSecond));
  for (const second of seconds) await openDueSecond(second);
  return new Set(near.map((row) => row.id));
}

/** The line of those in this process who publish. */
const OUTBOX = "outbox";

/**
 * The doorbell: publishes after a commit without making the caller wait for it or fail with it. The outbox row stands
 * whatever happens here. A process publishes one batch after the other: a hundred commits in one second are a few batches
 * then, and not a hundred that look for each other's rows. Where somebody waits for their turn already, they will take
 * what was committed before now.
 */
export async function ringDoorbell(): Promise<void> {
  if (isAwaited(OUTBOX)) return;
  try {
    await inTurn(OUTBOX, publishOutbox);
  } catch (error) {
    log.error("publishing after a commit failed; the cron will go on", {
      error,
      generation: processGeneration(),
    });
  }
}
