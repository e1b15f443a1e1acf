import type { ProviderName } from "./answer";
import { type Fault, parseFault } from "./faults";
import { RateLimit, RollingCount } from "./rate-limit";
import { changeSettings, defaultSettings, type Settings, type SettingsProblem } from "./settings";

/** The moment of a call at which a fault takes hold. `during` shapes the acceptance itself. */
export type FaultMoment = "before" | "during" | "after";

const DAY_MS = 86_400_000;
/** A billing month, as a rolling window. */
const MONTH_MS = 30 * DAY_MS;

/** One provider's temper: its settings, and the counters behind its limits. */
export class Line {
  readonly provider: ProviderName;
  settings: Settings;
  inFlight = 0;
  readonly limit: RateLimit;
  readonly daily = new RollingCount(DAY_MS);
  readonly monthly = new RollingCount(MONTH_MS);

  constructor(provider: ProviderName) {
    this.provider = provider;
    this.settings = defaultSettings(provider);
    this.limit = new RateLimit(this.settings.ratePerSecond, this.settings.burst);
  }

  /** Applies a partial change from `nowMs` on, or names what is wrong with it and changes nothing. */
  change(nowMs: number, change: unknown): SettingsProblem[] {
    const outcome = changeSettings(this.provider, this.settings, change);
    if ("problems" in outcome) return outcome.problems;
    this.#use(nowMs, outcome.settings);
    return [];
  }

  /** Back to the defaults; quota counters keep what was sent. */
  restoreDefaults(nowMs: number): void {
    this.#use(nowMs, defaultSettings(this.provider));
  }

  /** As new: defaults, full burst, no quota used. */
  reset(nowMs: number): void {
    this.restoreDefaults(nowMs);
    this.limit.refillWhole();
    this.daily.clear();
    this.monthly.clear();
  }

  /** Takes the standing fault for one call if it belongs to this moment and one of these destinations, and counts it down. */
  takeFault(moment: FaultMoment, destinations: string[]): { name: string; fault: Fault } | null {
    const { fault: name, faultTo, faultCount, faultWhen } = this.settings;
    const fault = name === null ? null : parseFault(this.provider, name);
    if (name === null || fault === null || momentOf(fault, faultWhen) !== moment) return null;
    if (faultTo !== null && !destinations.includes(faultTo)) return null;
    if (faultCount !== null) {
      const left = faultCount - 1;
      this.settings = { ...this.settings, faultCount: left, fault: left > 0 ? name : null };
    }
    return { name, fault };
  }

  /** Counts a call against rate and concurrency. Null lets it in; else whole seconds until it is worth trying again. */
  throttle(nowMs: number): number | null {
    const { concurrency } = this.settings;
    if (concurrency !== null && this.inFlight > concurrency) return 1;
    if (this.limit.take(nowMs)) return null;
    return this.secondsUntilRoom(nowMs);
  }

  /** Whole seconds until a call fits, at least 1, the smallest wait that providers name. */
  secondsUntilRoom(nowMs: number): number {
    return Math.max(1, Math.ceil(this.limit.view(nowMs).nextInMs / 1000));
  }

  /** Which quota `units` more would break, if any. */
  brokenQuota(nowMs: number, units: number): "daily" | "monthly" | null {
    const { dailyQuota, monthlyQuota } = this.settings;
    if (dailyQuota !== null && this.daily.used(nowMs) + units > dailyQuota) return "daily";
    if (monthlyQuota !== null && this.monthly.used(nowMs) + units > monthlyQuota) return "monthly";
    return null;
  }

  /** Counts accepted units against the quotas. */
  spend(nowMs: number, units: number): void {
    this.daily.add(nowMs, units);
    this.monthly.add(nowMs, units);
  }

  #use(nowMs: number, settings: Settings): void {
    this.settings = settings;
    this.limit.change(nowMs, settings.ratePerSecond, settings.burst);
  }
}

function momentOf(fault: Fault, when: Settings["faultWhen"]): FaultMoment {
  switch (fault.kind) {
    case "refusal":
      return "before";
    case "late":
    case "dropped":
      return "during";
    case "break":
      // A connection that never came to be cannot have carried a message.
      return fault.how === "refuse" ? "before" : when;
    case "page":
      return when;
  }
}
