import type { Clock, Timer } from "../clock";

/** Something that happens at an instant, unless cancelled before. */
export type Appointment = { atMs: number; run: () => void; timer: Timer | null };

export type Agenda = {
  at(atMs: number, run: () => void): Appointment;
  cancel(appointment: Appointment | null): void;
  /** Calls `afterDue` once, after everything else that is due at this instant. */
  settleSoon(): void;
  /** Stands still: what becomes due waits for {@link Agenda.thaw}, as in a suspended process. */
  freeze(): void;
  /** Goes on: everything that became due meanwhile happens at once, in time order. */
  thaw(): void;
  isFrozen(): boolean;
  clear(): void;
};

/** Everything the engine will do later. `afterDue` runs after each batch of appointments of one instant. */
export function createAgenda(clock: Clock, afterDue: () => void): Agenda {
  const standing = new Set<Appointment>();
  let overdue: Appointment[] = [];
  let frozen = false;
  let settling = false;

  const settleSoon = () => {
    if (settling) return;
    settling = true;
    clock.setTimer(clock.nowMs(), () => {
      settling = false;
      if (!frozen) afterDue();
    });
  };

  const meet = (appointment: Appointment) => {
    if (frozen) {
      overdue.push(appointment);
      return;
    }
    if (!standing.delete(appointment)) return;
    appointment.run();
    settleSoon();
  };

  return {
    at(atMs, run) {
      const appointment: Appointment = { atMs, run, timer: null };
      standing.add(appointment);
      appointment.timer = clock.setTimer(atMs, () => meet(appointment));
      return appointment;
    },
    cancel(appointment) {
      if (appointment && standing.delete(appointment)) appointment.timer?.cancel();
    },
    settleSoon,
    freeze() {
      frozen = true;
    },
    thaw() {
      frozen = false;
      const due = overdue.sort((left, right) => left.atMs - right.atMs);
      overdue = [];
      for (const appointment of due) meet(appointment);
      settleSoon();
    },
    isFrozen: () => frozen,
    clear() {
      for (const appointment of standing) appointment.timer?.cancel();
      standing.clear();
      overdue = [];
    },
  };
}
