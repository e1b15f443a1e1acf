/** What becomes of an accepted event: one entry per time it is acted on, with its extra delay. Empty = lost. */
export type EventFate = readonly number[];

export type CallFacts = { runId: string; functionId: string; stepId: string | null; attempt: number };

/**
 * Faults of the transport, set by tests and simulations. Counters are used up one by one; the hooks, if given, decide
 * for everything the counters leave alone. Nothing here changes what the engine itself would decide.
 */
export type Faults = {
  /** Every post of events is answered 500 and nothing is kept. */
  refuseEvents: boolean;
  /** The next n posts of events are accepted, and the connection ends before the answer. */
  loseEventAcks: number;
  /** The next n accepted events are acted on twice. */
  duplicateEvents: number;
  /** Every accepted event is acted on this much later. */
  delayEventsMs: number;
  /** The next n answers of the app are thrown away, after it did the work. */
  dropResponses: number;
  /** Decides for one accepted event; several delays reorder and duplicate, none loses it. */
  onEvent: ((event: { id: string; name: string }) => EventFate) | null;
  /** Decides for one answer of the app. */
  onResponse: ((call: CallFacts) => "deliver" | "drop") | null;
  /** Stops time for the engine only: ticks and wake-ups pile up until {@link Faults.thaw}. */
  freeze(): void;
  thaw(): void;
};

/** No faults; `freeze` and `thaw` are the agenda's. */
export function noFaults(agenda: { freeze(): void; thaw(): void }): Faults {
  return {
    refuseEvents: false,
    loseEventAcks: 0,
    duplicateEvents: 0,
    delayEventsMs: 0,
    dropResponses: 0,
    onEvent: null,
    onResponse: null,
    freeze: () => agenda.freeze(),
    thaw: () => agenda.thaw(),
  };
}

/** The delays after which an accepted event is acted on. */
export function fateOf(faults: Faults, event: { id: string; name: string }): EventFate {
  if (faults.duplicateEvents > 0) {
    faults.duplicateEvents -= 1;
    return [faults.delayEventsMs, faults.delayEventsMs];
  }
  return faults.onEvent?.(event) ?? [faults.delayEventsMs];
}

/** True if this answer of the app is to be thrown away. */
export function dropsResponse(faults: Faults, call: CallFacts): boolean {
  if (faults.dropResponses > 0) {
    faults.dropResponses -= 1;
    return true;
  }
  return faults.onResponse?.(call) === "drop";
}
