import { log } from "../../inngest/log";
import { failureAnswer, unavailableAnswer } from "../api/v1/failure";
import { inTime } from "./in-time";

/** A request that takes longer waits for the database alone, and its caller waits with it for nothing. */
const ANSWER_MS = 10_000;

/**
 * Requests under way in one process: twenty for each of its connections. More would only stand in a line whose end nobody
 * waits for, and fill memory with it.
 */
const REQUESTS_MAX = 200;

// Next bundles routes apart; the count is of the process.
const holder = globalThis as unknown as { punctualRequests?: number };

/**
 * The answer to a request, whatever happens: 503 with a time to come back when this process has too much to do or the
 * database does not answer, 500 without details for what nobody thought of. `route` names it in the log, without anything
 * of the request. What was begun and not answered in time may still be carried out; `withinMs` null waits for it.
 */
export async function answered(
  route: string,
  work: () => Promise<Response>,
  withinMs: number | null = ANSWER_MS,
): Promise<Response> {
  if ((holder.punctualRequests ?? 0) >= REQUESTS_MAX) return unavailableAnswer("nothing");
  holder.punctualRequests = (holder.punctualRequests ?? 0) + 1;
  const done = work().finally(() => {
    holder.punctualRequests = (holder.punctualRequests ?? 1) - 1;
  });
  try {
    return await (withinMs === null ? done : inTime(done, withinMs));
  } catch (error) {
    log.error("api request failed", { route, error });
    return failureAnswer(error);
  }
}
