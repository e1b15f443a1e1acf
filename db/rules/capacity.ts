import { forecastDrainMs } from "./forecast";

/** What a burst meets: numbers as observed, or as assumed by whoever asks. Costs are calls, for SMS segments. */
export interface CapacityInput {
  /** What waits already, due by now. */
  backlogCost: number;
  /** What the burst adds at once. */
  burstCost: number;
  /** Accepted per second, as observed or as the meter allows; what the lane may use of it. */
  perSecond: number;
  /** What arrives meanwhile and goes before the burst, per second. */
  arrivalsPerSecond: number;
  /** How long an update stays of use. */
  usefulMs: number;
}

export interface CapacityForecast {
  /** (B + N) ÷ R, with R less the arrivals that go first; null when it never drains. */
  drainMs: number | null;
  /** Age of the burst's deliveries when they leave. */
  p50AgeMs: number | null;
  p99AgeMs: number | null;
  /** Of backlog and burst, what will still wait when it stops being of use. */
  expiring: number;
}

/**
 * What becomes of a burst: it drains at the service rate behind what waits, so that a delivery at share `s` of the burst
 * leaves after (B + s·N) ÷ R, and what would leave after its usefulness expires instead.
 */
export function forecastBurst(input: CapacityInput): CapacityForecast {
  const { backlogCost, burstCost, perSecond, arrivalsPerSecond, usefulMs } = input;
  const after = (share: number) =>
    forecastDrainMs({ backlogCost, addedCost: burstCost * share, perSecond, arrivalsPerSecond });
  const drainMs = after(1);
  const served = Math.max(0, ((perSecond - arrivalsPerSecond) * usefulMs) / 1000);
  const expiring = Math.max(0, Math.ceil(backlogCost + burstCost - served));
  return { drainMs, p50AgeMs: after(0.5), p99AgeMs: after(0.99), expiring };
}

/** One assumption of the cost sheet: what it multiplies, and where the number comes from. */
export interface Assumption {
  name: string;
  value: number;
  unit: string;
  from: string;
}

export interface CostLine {
  name: string;
  normal: number;
  throttled: number;
  unit: string;
}

const MILLION = 1_000_000;

/**
 * What a parcel (one engine event, one run) carries: one when idle, about this many under backlog (`parcelSizeOf`).
 * Throttled hours are backlog hours, but their parcels are cut short by gates.
 */
const PARCEL_NORMAL = 10;
const PARCEL_THROTTLED = 20;

/** Ledger transactions per delivery, measured by `npm run bench -- drain` (about 0.45), with the retries of a throttled hour. */
const TRANSACTIONS_NORMAL = 0.5;
const TRANSACTIONS_THROTTLED = 0.9;

/** Calls per accepted send: a throttled hour pays about one 429 in a hundred (`limit-drop`: at most 10 per 1000). */
const CALLS_NORMAL = 1;
const CALLS_THROTTLED = 1.01;

/** Bytes in Postgres, indexes included, of a delivery with its attempt; content is shared by the followers of a scan. */
const BYTES_DELIVERY = 1_400;
const BYTES_ATTEMPT = 350;

/** Scans per announcement event, followers per scan: one run of a fan-out covers so many deliveries. */
const DELIVERIES_PER_FAN_OUT = 200;

const runsPerMillion = (parcel: number) => MILLION / parcel + MILLION / DELIVERIES_PER_FAN_OUT;

const LINES: CostLine[] = [
  {
    name: "engine executions",
    normal: runsPerMillion(PARCEL_NORMAL),
    throttled: runsPerMillion(PARCEL_THROTTLED),
    unit: "runs",
  },
  {
    name: "engine events",
    normal: runsPerMillion(PARCEL_NORMAL),
    throttled: runsPerMillion(PARCEL_THROTTLED),
    unit: "events",
  },
  {
    name: "database transactions",
    normal: MILLION * TRANSACTIONS_NORMAL,
    throttled: MILLION * TRANSACTIONS_THROTTLED,
    unit: "transactions",
  },
  {
    name: "bytes kept",
    normal: MILLION * (BYTES_DELIVERY + BYTES_ATTEMPT),
    throttled: MILLION * (BYTES_DELIVERY + BYTES_ATTEMPT * CALLS_THROTTLED),
    unit: "bytes",
  },
  {
    name: "provider calls",
    normal: MILLION * CALLS_NORMAL,
    throttled: Math.round(MILLION * CALLS_THROTTLED),
    unit: "calls",
  },
  { name: "new time series", normal: 0, throttled: 0, unit: "series" },
];

const ASSUMPTIONS: Assumption[] = [
  {
    name: "deliveries per parcel, normal",
    value: PARCEL_NORMAL,
    unit: "deliveries",
    from: "admission-plan.ts",
  },
  {
    name: "deliveries per parcel, throttled",
    value: PARCEL_THROTTLED,
    unit: "deliveries",
    from: "admission-plan.ts",
  },
  {
    name: "deliveries per fan-out run",
    value: DELIVERIES_PER_FAN_OUT,
    unit: "deliveries",
    from: "50 scans × 4 followers",
  },
  { name: "transactions per delivery, normal", value: TRANSACTIONS_NORMAL, unit: "", from: "bench drain" },
  {
    name: "transactions per delivery, throttled",
    value: TRANSACTIONS_THROTTLED,
    unit: "",
    from: "bench limit-drop",
  },
  {
    name: "calls per accepted send, throttled",
    value: CALLS_THROTTLED,
    unit: "",
    from: "bench limit-drop",
  },
  { name: "bytes of a delivery", value: BYTES_DELIVERY, unit: "bytes", from: "ledger with its indexes" },
  { name: "bytes of an attempt", value: BYTES_ATTEMPT, unit: "bytes", from: "ledger with its indexes" },
  {
    name: "time series per partition",
    value: 0,
    unit: "new",
    from: "labels name partitions and lanes, never people",
  },
];

/** What a million deliveries cost in normal and in throttled hours, and every assumption behind it. */
export function costPerMillion(): { lines: readonly CostLine[]; assumptions: readonly Assumption[] } {
  return { lines: LINES, assumptions: ASSUMPTIONS };
}
