import type { EventData, EventName } from "../db/rules/event-catalog";
import { inngest } from "./client";
import { log } from "./log";

export interface OutgoingEvent<Name extends EventName = EventName> {
  /** Explicit for every event: a repeat on purpose has a new one. */
  id: string;
  name: Name;
  data: EventData<Name>;
}

/** The engine takes 5,000 events per request; a hundred keep a request small and a refusal cheap. */
const EVENTS_PER_REQUEST = 100;

/**
 * Hands events to the engine. False when it refused or could not be reached: the caller puts back what the events stood
 * for. Never throws. An event whose acknowledgement was lost may arrive although this says false; ids and the ledger
 * make that harmless.
 */
export async function sendEvents(events: readonly OutgoingEvent[]): Promise<boolean> {
  for (let start = 0; start < events.length; start += EVENTS_PER_REQUEST) {
    try {
      await inngest.send(events.slice(start, start + EVENTS_PER_REQUEST));
    } catch (error) {
      log.warn("engine refused events", { count: events.length, error });
      return false;
    }
  }
  return true;
}
