import type { Clock } from "../../standins/clock";
import type { Engine } from "../../standins/engine/core";

/** An event as the SDK posts it. */
export interface SentEvent {
  id: string;
  name: string;
  data: Record<string, unknown>;
}

/** A clock that differs from another by as much as it is told to. What is set already stays where it was set. */
export function aheadBy(clock: Clock, aheadMs: () => number): Clock {
  return {
    nowMs: () => clock.nowMs() + aheadMs(),
    setTimer: (atMs, run) => clock.setTimer(atMs - aheadMs(), run),
  };
}

/** Hands a request of the SDK to the engine, with its events changed if somebody wants them to be. */
export async function sendEvents(
  engine: Engine,
  request: Request,
  change: ((event: SentEvent) => SentEvent) | null,
): Promise<{ response: Response; events: SentEvent[] }> {
  if (!new URL(request.url).pathname.startsWith("/e/")) {
    return { response: await engine.fetch(request), events: [] };
  }
  const events = [await request.clone().json()].flat() as SentEvent[];
  if (change === null) return { response: await engine.fetch(request), events };
  const { url, method, headers } = request;
  const changed = new Request(url, { method, headers, body: JSON.stringify(events.map(change)) });
  return { response: await engine.fetch(changed), events };
}

/** A suspended engine answers the registration with an error, and the app its PUT well all the same. */
export async function knowsFunctions(engine: Engine, origin: string): Promise<boolean> {
  const response = await engine.fetch(new Request(`${origin}/dev`));
  return response.ok && ((await response.json()) as { functions: unknown[] }).functions.length > 0;
}
