import { gcra } from "./limits";
import type { Context, QueueItem, Run } from "./model";
import { isLive } from "./model";
import { remembers } from "./progress";
import { ruleIdentity } from "./start";

/** A throttle that a run's first call has passed does not count again for this long (ConstraintCheckIdempotencyTTL). */
const THROTTLE_PASSED_MS = 5 * 60_000;

/**
 * Items of one function looked at in one go (the scheduler peeks 300–750): a backlog longer than this on one key keeps
 * other keys of the same function waiting, as in the real engine.
 */
const PEEK = 750;

export type Queue = {
  enqueue(item: Omit<QueueItem, "id" | "appointment">): void;
  /** Sends out everything that is due and within limits. */
  lookForWork(): void;
  remove(run: Run): void;
  clear(): void;
};

/** What is due, by function, in order of time and priority; what is not yet due is an appointment. */
export function createQueue(context: Context, dispatch: (item: QueueItem, slots: string[]) => void): Queue {
  const due = new Map<string, QueueItem[]>();
  let firstFunction = 0;
  let blockedUntil: { atMs: number; appointment: ReturnType<Context["agenda"]["at"]> } | null = null;

  const becomeDue = (item: QueueItem) => {
    item.appointment = null;
    if (!isLive(item.run)) return;
    if (item.kind === "sleep" && item.attempt === 0 && !wake(context, item)) {
      item.run.items.delete(item);
      return;
    }
    const items = due.get(item.run.fn.id) ?? [];
    due.set(item.run.fn.id, items);
    insert(items, item);
  };

  const lookForWork = () => {
    const names = [...due.keys()];
    firstFunction = names.length > 0 ? (firstFunction + 1) % names.length : 0;
    let retryAtMs = Number.POSITIVE_INFINITY;
    for (let turn = 0; turn < names.length; turn += 1) {
      const name = names[(firstFunction + turn) % names.length] as string;
      const items = due.get(name) as QueueItem[];
      retryAtMs = Math.min(retryAtMs, lookThrough(context, items, dispatch));
      if (items.length === 0) due.delete(name);
    }
    if (blockedUntil?.atMs === retryAtMs) return;
    context.agenda.cancel(blockedUntil?.appointment ?? null);
    blockedUntil = Number.isFinite(retryAtMs)
      ? { atMs: retryAtMs, appointment: context.agenda.at(retryAtMs, forgetBlock) }
      : null;
  };
  const forgetBlock = () => {
    blockedUntil = null;
  };

  return {
    enqueue(fields) {
      const item: QueueItem = { ...fields, id: context.newId(), appointment: null };
      item.run.items.add(item);
      item.appointment = context.agenda.at(item.atMs, () => becomeDue(item));
    },
    lookForWork,
    remove(run) {
      const items = due.get(run.fn.id);
      for (const item of run.items) {
        context.agenda.cancel(item.appointment);
        const index = items?.indexOf(item) ?? -1;
        if (index >= 0) items?.splice(index, 1);
      }
      run.items.clear();
    },
    clear() {
      due.clear();
      blockedUntil = null;
    },
  };
}

/** Sends out what may go of one function's due items; answers when a throttled one may. */
function lookThrough(
  context: Context,
  items: QueueItem[],
  dispatch: (item: QueueItem, slots: string[]) => void,
): number {
  let retryAtMs = Number.POSITIVE_INFINITY;
  let index = 0;
  for (let looked = 0; index < items.length && looked < PEEK && context.busy < context.workers; looked += 1) {
    const item = items[index] as QueueItem;
    const verdict = mayGo(context, item);
    if (typeof verdict === "number") {
      retryAtMs = Math.min(retryAtMs, verdict);
      index += 1;
      continue;
    }
    items.splice(index, 1);
    item.run.items.delete(item);
    dispatch(item, verdict);
  }
  return retryAtMs;
}

/** A sleep that ends leaves null behind; false if other steps planned with it are still to come. */
function wake(context: Context, item: QueueItem): boolean {
  const { run, fromStepId } = item;
  if (fromStepId === null || run.memory.has(fromStepId)) return true;
  remembers(context, run, fromStepId, null, { output: null });
  run.pending.delete(fromStepId);
  if (run.pending.size > 0 && !item.raceMode) return false;
  if (run.requestVersion >= 2) run.planOnly = false;
  return true;
}

/**
 * The concurrency slots an item takes if it may go now, else when to look again (never, if only a slot can help: a
 * freed one looks by itself). Concurrency counts calls in flight; the throttle counts first calls of runs only.
 */
function mayGo(context: Context, item: QueueItem): string[] | number {
  const { run } = item;
  const slots: string[] = [];
  for (const rule of run.fn.concurrency) {
    const slot = slotOf(run, rule);
    if (slot === null) continue;
    if ((context.slots.get(slot) ?? 0) >= rule.limit) return Number.POSITIVE_INFINITY;
    slots.push(slot);
  }
  const nowMs = context.clock.nowMs();
  const throttle = run.fn.throttle;
  if (item.kind !== "start" || !throttle) return slots;
  if (run.throttlePassedAtMs !== null && nowMs - run.throttlePassedAtMs < THROTTLE_PASSED_MS) return slots;
  // A run made under another key expression is not held by this one.
  const key = throttle.key === null ? "" : run.throttleKeys.get(throttle.key);
  if (key === undefined) return slots;
  const retryAtMs = gcra(context.throttles, `${run.fn.id} ${throttle.key} ${key}`, throttle, nowMs, true);
  if (retryAtMs !== null) return Math.ceil(retryAtMs);
  run.throttlePassedAtMs = nowMs;
  return slots;
}

function slotOf(run: Run, rule: Run["fn"]["concurrency"][number]): string | null {
  if (rule.key === null) return `fn ${run.fn.id}`;
  const value = run.concurrencyKeys.get(ruleIdentity(rule));
  if (value === undefined) return null;
  return rule.scope === "fn" ? `fn ${run.fn.id} ${rule.key} ${value}` : `${rule.scope} ${rule.key} ${value}`;
}

function insert(items: QueueItem[], item: QueueItem): void {
  const score = item.atMs - item.run.priorityMs;
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = items[middle] as QueueItem;
    if (other.atMs - other.run.priorityMs <= score) low = middle + 1;
    else high = middle;
  }
  items.splice(low, 0, item);
}
