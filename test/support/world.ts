import { replaceEffects } from "../../db/effects";
import { type CancelOutcome, cancelReminder } from "../../db/reminders/cancel";
import { editReminder } from "../../db/reminders/edit";
import { type DeliveryView, readDeliveries } from "../../db/reminders/read";
import { scheduleReminder } from "../../db/reminders/schedule";
import { snoozeReminder } from "../../db/reminders/snooze";
import type { ReminderView } from "../../db/reminders/views";
import type { EditReminderBody } from "../../db/rules/api-schemas";
import type { Channel } from "../../db/rules/outcome";
import { forgetEpochs } from "../../inngest/delivery-calls";
import { renderForChannels } from "../../inngest/messages/reminder-payloads";
import { ringDoorbell } from "../../inngest/publish";
import { sweep } from "../../inngest/sweep";
import { type VirtualClock, virtualClock } from "../../standins/clock";
import { createEngine, type Engine } from "../../standins/engine/core";
import { createProviders, inProcessFetch, type Providers } from "../../standins/providers";
import { AppProcess, refused } from "./app-process";
import { aheadBy, knowsFunctions, type SentEvent, sendEvents } from "./between";
import { freshLedger } from "./empty-ledger";
import { storeSubscriber } from "./stored-subscriber";
import { testClock } from "./test-clock";
import { quickenTimers } from "./virtual-timers";
import type { Chance, ReminderOptions } from "./world-options";
import { type Routes, routes, signedNow } from "./world-routes";

const ORIGIN = "http://127.0.0.1:9";
const APP = "http://127.0.0.1:3000";
const SHOP = { kind: "shop" } as const;

/** Event-loop turns without work after which nothing more will happen by itself. */
const QUIET_TURNS = 6;

/**
 * The whole product in one process on one virtual clock: the real functions behind the SDK's own handler, the real
 * database with `ledger_now()` on the same clock, the stand-in engine and the stand-in providers. Time moves only in
 * `advance`, from one appointment to the next, after everything has come to rest.
 */
export class World {
  readonly clock: VirtualClock;
  readonly engine: Engine;
  readonly providers: Providers;
  /** When set, events do not reach the engine. */
  engineDown = false;
  private build: Routes = routes;
  readonly app = new AppProcess((request) => this.build(request));
  /** Changes events on their way to the engine, as another build of the app would have written them. */
  onEvent: ((event: SentEvent) => SentEvent) | null = null;
  /** How far each one's clock is ahead of the world's. */
  readonly clocks = { appAheadMs: 0, engineAheadMs: 0, providersAheadMs: 0, ledgerAheadMs: 0 };
  /** Ids of the events that an engine has ever acknowledged. */
  readonly acknowledged = new Set<string>();
  private readonly restore: () => void;

  constructor(startMs: number, { random, newId }: Chance) {
    forgetEpochs();
    this.clock = virtualClock(startMs);
    const restoreTimers = quickenTimers(this.clock, this.app, random);
    let id = 0;
    this.engine = createEngine({
      clock: aheadBy(this.clock, () => this.clocks.engineAheadMs),
      newId: () => {
        id += 1;
        return `engine-${id}`;
      },
      random,
      call: (url, init) => this.app.call(url, init),
    });
    this.providers = createProviders({
      clock: aheadBy(this.clock, () => this.clocks.providersAheadMs),
      baseUrl: ORIGIN,
      ...(newId === undefined ? {} : { newId }),
      vapidNowMs: () => Date.now(),
      appUrl: APP,
      twilioAuthToken: process.env.TWILIO_AUTH_TOKEN,
      fetch: (url, init = {}) => this.app.call(String(url), signedNow(init)),
    });
    const restoreEffects = replaceEffects({
      random,
      ...(newId === undefined ? {} : { newId }),
      monotonicMs: () => this.clock.nowMs(),
      wallMs: () => this.clock.nowMs() + this.clocks.appAheadMs,
      breathe: async () => {},
      sleep: (ms, unless) => this.app.waiting("sleep", () => this.timer(ms, unless)),
      fetch: (url, init) => this.route(url, init),
      deadline: (ms) => this.deadline(ms),
      statement: (run) => this.app.statement(run),
    });
    this.restore = () => {
      restoreEffects();
      restoreTimers();
    };
  }

  /** A world with an empty ledger, its database clock at the same instant, and the functions registered. */
  static async start(
    startMs: number,
    chance: Chance = { random: () => 0.5 },
    build: Routes = routes,
  ): Promise<World> {
    await freshLedger();
    await testClock.set(startMs);
    const world = new World(startMs, chance);
    world.build = build;
    await world.engine.sync(APP);
    await world.settle();
    return world;
  }

  close(): void {
    this.restore();
  }

  nowMs(): number {
    return this.clock.nowMs();
  }

  /** What the database's clock says. */
  ledgerNowMs(): number {
    return this.clock.nowMs() + this.clocks.ledgerAheadMs;
  }

  /** Moves time on, from one appointment to the next. Throws a `LiveLock` where it does not move on. */
  async advance(ms: number): Promise<void> {
    const untilMs = this.clock.nowMs() + ms;
    for (;;) {
      this.app.unrest.at(this.clock.nowMs());
      this.app.unrest.note("an appointment");
      await this.settle();
      const nextMs = this.clock.nextTimerAtMs();
      const stepMs = nextMs === null || nextMs > untilMs ? untilMs : Math.max(nextMs, this.clock.nowMs());
      await testClock.set(stepMs + this.clocks.ledgerAheadMs);
      this.clock.advanceTo(stepMs);
      if (stepMs >= untilMs && (this.clock.nextTimerAtMs() ?? Number.POSITIVE_INFINITY) > untilMs) {
        await this.settle();
        if ((this.clock.nextTimerAtMs() ?? Number.POSITIVE_INFINITY) > untilMs) return;
      }
    }
  }

  /** Resolves when nothing happens any more unless time moves. Throws a `LiveLock` when something always does. */
  async settle(): Promise<void> {
    for (let quiet = 0; quiet <= QUIET_TURNS; ) {
      // The database takes its time; looking each turn would take it from the database.
      await this.app.noTransaction();
      this.app.unrest.check();
      await new Promise<void>((resolve) => setImmediate(resolve));
      quiet = this.app.busy() ? 0 : quiet + 1;
    }
  }

  /** A subscriber whom every channel reaches, with one push device. */
  async subscriber(
    externalId = "ada",
    options: { channels?: Channel[] } = {},
  ): Promise<{ id: string; deviceId: string }> {
    return storeSubscriber(this.providers, externalId, options.channels ?? ["email", "sms", "push"]);
  }

  /** Sets a reminder as the shop's backend does, doorbell included. */
  async remind(subscriberId: string, options: ReminderOptions): Promise<ReminderView> {
    const reminder = await this.schedule(subscriberId, options);
    await ringDoorbell();
    return reminder;
  }

  private async schedule(subscriberId: string, options: ReminderOptions): Promise<ReminderView> {
    const scheduled = await scheduleReminder({
      owner: SHOP,
      subscriberId,
      title: options.title ?? "Water the plants",
      note: null,
      url: null,
      dueAt: new Date(this.nowMs() + options.inMs).toISOString(),
      channels: options.channels ?? ["email"],
      expiresAfterSeconds: options.expiresAfterSeconds ?? 86_400,
    });
    if (!scheduled.ok) throw new Error(JSON.stringify(scheduled.problem));
    return scheduled.value.value;
  }

  /** Many reminders at one instant, with one doorbell. */
  async remindMany(
    subscriberId: string,
    count: number,
    options: { inMs: number; channels?: Channel[] },
  ): Promise<void> {
    for (let number = 1; number <= count; number += 1) {
      await this.schedule(subscriberId, { ...options, title: `Reminder ${number}` });
    }
    await ringDoorbell();
  }

  async edit(id: string, patch: EditReminderBody): Promise<ReminderView> {
    const edited = await editReminder(SHOP, id, patch, renderForChannels);
    if (!edited.ok) throw new Error(JSON.stringify(edited.problem));
    await ringDoorbell();
    return edited.value;
  }

  async cancel(id: string): Promise<CancelOutcome> {
    const cancelled = await cancelReminder(SHOP, id);
    if (!cancelled.ok) throw new Error(JSON.stringify(cancelled.problem));
    await ringDoorbell();
    return cancelled.value;
  }

  async snooze(id: string, minutes: number): Promise<ReminderView> {
    const snoozed = await snoozeReminder(SHOP, id, { minutes });
    if (!snoozed.ok) throw new Error(JSON.stringify(snoozed.problem));
    await ringDoorbell();
    return snoozed.value;
  }

  async deliveries(id: string): Promise<DeliveryView[]> {
    const read = await readDeliveries(SHOP, id);
    if (!read.ok) throw new Error(JSON.stringify(read.problem));
    return read.value;
  }

  /** kill -9 of the app: whatever runs stops at its present effect for ever, connections break, nobody listens. */
  killApp(): void {
    this.app.kill();
    forgetEpochs();
  }

  /** What the process does at its start. */
  async restartApp(): Promise<void> {
    this.app.down = false;
    await this.app.act(() => sweep("start"));
  }

  /** Ends the process amid whatever it does and starts another build of the app in its place, as a deploy does. */
  async deploy(build: Routes): Promise<void> {
    this.killApp();
    this.build = build;
    await this.restartApp();
    await this.resync();
    await this.settle();
  }

  /** Kills the engine and brings up one that knows nothing; it asks the app for its functions. */
  async forgetEngine(): Promise<void> {
    this.engine.forgetEverything();
    await this.resync();
    await this.settle();
  }

  /** The engine asks the app for its functions; one that does not know them is swept for, as the route does. */
  async resync(): Promise<boolean> {
    const synced = (await this.engine.sync(APP)) && (await knowsFunctions(this.engine, ORIGIN));
    if (synced) await this.app.act(() => sweep("sync")).catch(() => null);
    return synced;
  }

  /** Calls that a provider accepted, by the delivery's reference at it. */
  accepted(provider: "resend" | "twilio" | "push"): string[] {
    return this.providers.ledger
      .calls(provider)
      .filter((call) => call.accepted)
      .map((call) => call.key ?? "");
  }

  private async route(url: string | URL, init?: RequestInit): Promise<Response> {
    const { pathname } = new URL(url);
    if (/^\/(resend|twilio|push)\b/.test(pathname)) {
      return this.app.waiting("call", () => inProcessFetch(this.providers)(url, init));
    }
    return this.app.sending(() => this.toEngine(new Request(url, init)));
  }

  private async toEngine(request: Request): Promise<Response> {
    if (this.engineDown) throw refused();
    const { response, events } = await sendEvents(this.engine, request, this.onEvent);
    if (response.ok) for (const { id } of events) this.acknowledged.add(id);
    return response;
  }

  private timer(ms: number, unless?: AbortSignal): Promise<void> {
    if (!(ms > 0) || unless?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = this.clock.setTimer(this.clock.nowMs() + ms, resolve);
      const end = () => {
        timer.cancel();
        resolve();
      };
      unless?.addEventListener("abort", end, { once: true });
    });
  }

  private deadline(ms: number): AbortSignal {
    const controller = new AbortController();
    const activity = this.app.present();
    this.clock.setTimer(this.clock.nowMs() + ms, () => {
      // A dead process aborts nothing; a stalled one has had its answer and is late only with what follows.
      if (activity?.dead || activity?.stalled) return;
      controller.abort(new DOMException("The operation timed out.", "TimeoutError"));
    });
    return controller.signal;
  }
}
