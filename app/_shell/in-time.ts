import { effects } from "../../db/effects";

/**
 * Whoever opens a page, or asks about health, waits some seconds himself; after that an answer that says so is of more
 * use than one that waits together with the database.
 */
const SILENT_MS = 3_000;

/** The database did not answer in time; `code` as a driver's error has one. */
class Silence extends Error {
  readonly code = "DATABASE_SILENT";
}

/**
 * The same result, or an error when the database does not answer in time. Its timer ends with it: one that went on would
 * keep the request and its answer in memory for as long, which at hundreds of requests a second is most of the memory.
 */
export function inTime<T>(work: Promise<T>, withinMs = SILENT_MS): Promise<T> {
  const over = new AbortController();
  const silent = effects.sleep(withinMs, over.signal).then((): Promise<T> => {
    if (over.signal.aborted) return work;
    throw new Silence(`The database did not answer within ${withinMs} ms.`);
  });
  return Promise.race([work, silent]).finally(() => over.abort());
}
