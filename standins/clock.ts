/** A cancellable appointment with a clock. Cancelling twice, or after it ran, does nothing. */
export type Timer = { cancel(): void };

/** The time a stand-in lives by: epoch milliseconds, and appointments at an instant. */
export type Clock = {
  nowMs(): number;
  /** Runs `run` once the clock reads `atMs` or later, never earlier. A past instant runs at the next opportunity. */
  setTimer(atMs: number, run: () => void): Timer;
};

/** A clock that only moves when told to. */
export type VirtualClock = Clock & {
  /** The earliest appointment still standing, or null. */
  nextTimerAtMs(): number | null;
  /** Moves to `ms`, running due timers in time order (ties: in the order they were set), also those set on the way. */
  advanceTo(ms: number): void;
};

/** The longest delay setTimeout honours; above it Node fires after one millisecond. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** The machine's clock. Waits of any length are honoured by re-arming. */
export function realClock(): Clock {
  return {
    nowMs: () => Date.now(),
    setTimer(atMs, run) {
      let handle: NodeJS.Timeout;
      const arm = () => {
        const waitMs = Math.min(Math.max(Math.ceil(atMs - Date.now()), 0), LONGEST_TIMEOUT_MS);
        handle = setTimeout(() => (Date.now() < atMs ? arm() : run()), waitMs);
      };
      arm();
      return { cancel: () => clearTimeout(handle) };
    },
  };
}

type Appointment = { atMs: number; order: number; run: () => void; cancelled: boolean };

/** A clock that starts at `startMs` and stands still until {@link VirtualClock.advanceTo} moves it. */
export function virtualClock(startMs: number): VirtualClock {
  const heap: Appointment[] = [];
  let nowMs = startMs;
  let nextOrder = 0;

  const earliest = (): Appointment | undefined => {
    while (heap[0]?.cancelled) removeFirst(heap);
    return heap[0];
  };

  return {
    nowMs: () => nowMs,
    setTimer(atMs, run) {
      if (Number.isNaN(atMs))
        throw new RangeError("A timer needs an instant in epoch milliseconds, got NaN.");
      const appointment = { atMs, order: nextOrder++, run, cancelled: false };
      insert(heap, appointment);
      return {
        cancel: () => {
          appointment.cancelled = true;
        },
      };
    },
    nextTimerAtMs: () => earliest()?.atMs ?? null,
    advanceTo(ms) {
      if (!(ms >= nowMs))
        throw new RangeError(`A clock does not go back: it reads ${nowMs}, asked for ${ms}.`);
      for (let due = earliest(); due && due.atMs <= ms; due = earliest()) {
        removeFirst(heap);
        // A timer set for the past runs now; time itself never steps back.
        nowMs = Math.max(nowMs, due.atMs);
        due.run();
      }
      nowMs = Math.max(nowMs, ms);
    },
  };
}

/** Earlier instant first; at the same instant, first set first. */
function before(left: Appointment, right: Appointment): boolean {
  return left.atMs < right.atMs || (left.atMs === right.atMs && left.order < right.order);
}

function insert(heap: Appointment[], appointment: Appointment): void {
  let index = heap.length;
  heap.push(appointment);
  while (index > 0) {
    const parentIndex = (index - 1) >> 1;
    const parent = heap[parentIndex] as Appointment;
    if (!before(appointment, parent)) break;
    heap[index] = parent;
    index = parentIndex;
  }
  heap[index] = appointment;
}

function removeFirst(heap: Appointment[]): void {
  const last = heap.pop();
  if (!last || heap.length === 0) return;
  let index = 0;
  for (;;) {
    let childIndex = index * 2 + 1;
    if (childIndex >= heap.length) break;
    const right = heap[childIndex + 1];
    if (right && before(right, heap[childIndex] as Appointment)) childIndex += 1;
    const child = heap[childIndex] as Appointment;
    if (!before(child, last)) break;
    heap[index] = child;
    index = childIndex;
  }
  heap[index] = last;
}
