import { AsyncLocalStorage } from "node:async_hooks";

/** One call of the engine into the app, as a process that can die or stall at its next effect. */
export interface Activity {
  /** How many waits on the virtual clock it is in. */
  waits: number;
  /** Set by a crash: nothing after the present effect ever runs. */
  dead: boolean;
  /** Set by a stall: the present effect returns when this resolves. */
  stalled: Promise<void> | null;
  /** Breaks the engine's connection to it. */
  cut: (error: Error) => void;
}

const NEVER = new Promise<never>(() => {});

/**
 * The app as a process that a test can kill or stall. Every call of the engine into it is an activity; the process's
 * effects pass through here, and a crash takes hold between an effect and the code after it.
 */
export class AppProcess {
  /** When set, nobody listens: calls fail like those to a process that is gone. */
  down = false;
  private readonly activities = new Set<Activity>();
  private readonly activity = new AsyncLocalStorage<Activity>();
  private statements = 0;

  constructor(private readonly handler: (request: Request) => Promise<Response>) {}

  /** Whether anything can still happen without time moving. */
  busy(): boolean {
    return this.statements > 0 || [...this.activities].some((activity) => activity.waits === 0);
  }

  /** The activity in which the caller runs; undefined in the test itself. */
  present(): Activity | undefined {
    return this.activity.getStore();
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

  /** Stalls whatever runs (a long pause of the process) while the world goes on; the result lets it go on. */
  stall(): () => void {
    let release = () => {};
    const stalled = new Promise<void>((resolve) => {
      release = resolve;
    });
    for (const activity of this.activities) {
      activity.stalled = stalled;
      activity.cut(broken());
    }
    return release;
  }

  /** The engine calls the app. */
  async call(url: string, init: RequestInit): Promise<Response> {
    if (this.down) throw refused();
    let cut: (error: Error) => void = () => {};
    const broke = new Promise<never>((_, reject) => {
      cut = reject;
    });
    broke.catch(() => {});
    const activity: Activity = { waits: 0, dead: false, stalled: null, cut };
    this.activities.add(activity);
    const headers = { ...Object.fromEntries(new Headers(init.headers)), host: new URL(url).host };
    const answered = this.activity.run(activity, () => this.handler(new Request(url, { ...init, headers })));
    answered.catch(() => {}).finally(() => this.activities.delete(activity));
    return Promise.race([answered, broke]);
  }

  /** A database statement of the app. */
  async statement<T>(run: () => Promise<T>): Promise<T> {
    const activity = this.activity.getStore();
    if (activity?.dead) return NEVER;
    this.statements += 1;
    try {
      return await run();
    } finally {
      this.statements -= 1;
      await this.aftermath(activity);
    }
  }

  /** Marks the surrounding call of the engine as waiting for the virtual clock. */
  async waiting<T>(work: () => Promise<T>): Promise<T> {
    const activity = this.activity.getStore();
    if (activity?.dead) return NEVER;
    if (activity !== undefined) activity.waits += 1;
    try {
      return await work();
    } finally {
      await this.aftermath(activity);
      if (activity !== undefined) activity.waits -= 1;
    }
  }

  /** Where a crash or a stall of the process takes hold: between an effect and the code after it. */
  private async aftermath(activity: Activity | undefined): Promise<void> {
    if (activity?.dead) await NEVER;
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
