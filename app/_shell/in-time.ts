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

/** The same result, or an error when the database does not answer in time. */
export function inTime<T>(work: Promise<T>, withinMs = SILENT_MS): Promise<T> {
  const silent = effects.sleep(withinMs).then((): never => {
    throw new Silence(`The database did not answer within ${withinMs} ms.`);
  });
  return Promise.race([work, silent]);
}
