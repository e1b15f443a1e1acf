import { AsyncLocalStorage } from "node:async_hooks";
import { Unrest } from "./unrest";

/** One piece of work of the app, as a process that can die or stall at its next effect. */
export interface Activity {
  /** What it is: a function and its step, or whoever asked for it. */
  name: string;
  /** How many waits on the virtual clock it is in. */
  waits: number;
  /** Set by a crash: nothing after the present effect ever runs. */
  dead: boolean;
  /** Set by a stall: the present effect returns when this resolves. */
  stalled: Promise<void> | null;
  /** Breaks its caller's connection to it. */
  cut: (error: Error) => void;
}

/** A place where a process can die: right before an effect, or right after it and before the code that follows. */
export interface Crossing {
  effect: "transaction" | "statement" | "sleep" | "call" | "send";
  moment: "before" | "after";
}

// One of each for all processes: Node hands every storage that was ever used to every promise.
const activities = new AsyncLocalStorage<Activity>();
const insideTransaction = new AsyncLocalStorage<true>();

/** What a dead process waits for. Each time a new one: a shared one would keep everything that ever died. */
const never = () => new Promise<never>(() => {});

/** Event-loop turns after which the code that runs by itself has come to its next effect. */
const TURNS_BEFORE_TRANSACTION = 6;

/**
 * The app as a process that a test can kill or stall. Every call of the engine into it is an activity; the process's
 * effects pass through here, and a crash takes hold between an effect and the code around it.
 *
 * Transactions run one at a time and begin only when no code runs any more: with nothing else that waits for the real
 * world, the same start is the same run.
 */
export class AppProcess {
  /** When set, nobody listens: calls fail like those to a process that is gone. */
  down = false;
  /** Asked at every effect of an activity. It may kill or stall the process; what it throws, the effect throws. */
  onCrossing: ((crossing: Crossing) => void) | null = null;
  /** Ends what would never end. */
  readonly unrest = new Unrest();
  private readonly activities = new Set<Activity>();
  private readonly queue: (() => void)[] = [];
  private isTaken = false;
  private transactions = 0;
  private onNoTransaction: (() => void)[] = [];

  constructor(private readonly handler: (request: Request) => Promise<Response>) {}

  /** Whether anything can still happen without time moving. */
  busy(): boolean {
    return this.transactions > 0 || [...this.activities].some((activity) => activity.waits === 0);
  }

  /** Resolves when no transaction is under way or wanted; at once when there is none. */
  async noTransaction(): Promise<void> {
    if (this.transactions > 0) await new Promise<void>((resolve) => this.onNoTransaction.push(resolve));
  }

  /** The activity in which the caller runs; undefined in the test itself. */
  present(): Activity | undefined {
    return activities.getStore();
  }

  /** kill -9: whatever runs stops at its present effect for ever, connections break, nobody listens. */
  kill(): void {
    this.down = true;
    for (const activity of this.activities) {
      activity.dead = true;
      activity.cut(broken());
    }
    this.activities.clear();
  }

  /**
   * Stalls whatever runs (a long pause of the process), or one piece of work, while the world goes on; the result lets it
   * go on.
   */
  stall(only?: Activity): () => void {
    let release = () => {};
    const stalled = new Promise<void>((resolve) => {
      release = resolve;
    });
    for (const activity of only === undefined ? this.activities : [only]) {
      activity.stalled = stalled;
      activity.cut(broken());
    }
    return release;
  }

  /** The engine calls the app. */
  call(url: string, init: RequestInit): Promise<Response> {
    const { host, pathname, searchParams } = new URL(url);
    const headers = { ...Object.fromEntries(new Headers(init.headers)), host };
    const name = searchParams.get("fnId") ?? pathname;
    return this.act(() => this.handler(new Request(url, { ...init, headers })), name);
  }

  /** Work of the process for somebody else. Rejects like a broken connection when the process dies. */
  async act<T>(work: () => Promise<T>, name = "a caller"): Promise<T> {
    if (this.down) throw refused();
    let cut: (error: Error) => void = () => {};
    const broke = new Promise<never>((_, reject) => {
      cut = reject;
    });
    broke.catch(() => {});
    const activity: Activity = { name, waits: 0, dead: false, stalled: null, cut };
    this.activities.add(activity);
    const done = activities.run(activity, work);
    done.catch(() => {}).finally(() => this.activities.delete(activity));
    return Promise.race([done, broke]);
  }

  /** A database statement of the app: a transaction as a whole, and each statement inside. */
  statement<T>(run: () => Promise<T>): Promise<T> {
    return insideTransaction.getStore() ? this.statementInside(run) : this.transaction(run);
  }

  private async transaction<T>(run: () => Promise<T>): Promise<T> {
    const activity = activities.getStore();
    if (activity?.dead) return never();
    this.transactions += 1;
    await this.turn();
    try {
      if (activity?.dead) return never();
      this.cross(activity, "transaction", "before");
      const result = await insideTransaction.run(true, run);
      this.cross(activity, "transaction", "after");
      return result;
    } finally {
      this.passOn();
      this.transactions -= 1;
      if (this.transactions === 0) for (const resolve of this.onNoTransaction.splice(0)) resolve();
      await this.aftermath(activity);
    }
  }

  /** Where a dead process's connection breaks, so that the database rolls back; the transaction around it never returns. */
  private async statementInside<T>(run: () => Promise<T>): Promise<T> {
    const activity = activities.getStore();
    this.cross(activity, "statement", "before");
    const result = await run();
    this.cross(activity, "statement", "after");
    return result;
  }

  /** An effect that may wait for the virtual clock. */
  async waiting<T>(effect: "sleep" | "call", work: () => Promise<T>): Promise<T> {
    const activity = activities.getStore();
    if (activity?.dead) return never();
    if (activity !== undefined) activity.waits += 1;
    try {
      this.cross(activity, effect, "before");
      const result = await work();
      this.cross(activity, effect, "after");
      return result;
    } finally {
      await this.aftermath(activity);
      if (activity !== undefined) activity.waits -= 1;
    }
  }

  /** Runs something later on the virtual clock, for a library that knows only timers; null outside of the app. */
  timer(setTimer: (run: () => void) => { cancel(): void }, run: () => void): { cancel(): void } | null {
    const activity = activities.getStore();
    if (activity === undefined) return null;
    let isOver = false;
    const end = (): boolean => {
      if (isOver) return false;
      isOver = true;
      activity.waits -= 1;
      return true;
    };
    activity.waits += 1;
    const timer = setTimer(() => {
      if (end() && !activity.dead) activities.run(activity, run);
    });
    return {
      cancel: () => {
        if (end()) timer.cancel();
      },
    };
  }

  /** An effect that ends at once: events on their way to the engine. */
  async sending<T>(work: () => Promise<T>): Promise<T> {
    const activity = activities.getStore();
    if (activity?.dead) return never();
    try {
      this.cross(activity, "send", "before");
      const result = await work();
      this.cross(activity, "send", "after");
      return result;
    } finally {
      await this.aftermath(activity);
    }
  }

  private cross(
    activity: Activity | undefined,
    effect: Crossing["effect"],
    moment: Crossing["moment"],
  ): void {
    if (activity === undefined) return;
    if (this.unrest.note(`${activity.name}: ${moment} ${effect}`)) this.kill();
    if (!activity.dead) this.onCrossing?.({ effect, moment });
    if (activity.dead) throw broken();
  }

  /** Waits for its turn, and until the code that still runs has come to its next effect. */
  private async turn(): Promise<void> {
    if (this.isTaken) await new Promise<void>((resolve) => this.queue.push(resolve));
    this.isTaken = true;
    for (let turn = 0; turn < TURNS_BEFORE_TRANSACTION; turn += 1) {
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }

  private passOn(): void {
    const next = this.queue.shift();
    if (next === undefined) this.isTaken = false;
    else next();
  }

  /** Where a crash or a stall of the process takes hold: between an effect and the code after it. */
  private async aftermath(activity: Activity | undefined): Promise<void> {
    if (activity?.dead) await never();
    if (activity?.stalled) {
      // A stalled process waits for the test, not for itself.
      activity.waits += 1;
      await activity.stalled;
      activity.waits -= 1;
    }
  }
}

function broken(): TypeError {
  return new TypeError("fetch failed", {
    cause: Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET", syscall: "read" }),
  });
}

/** How undici fails when nobody listens. */
export function refused(): TypeError {
  return new TypeError("fetch failed", {
    cause: Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED", syscall: "connect" }),
  });
}
