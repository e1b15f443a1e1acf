const UNIT_MS: Record<string, number> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** The engine's table: 15 s doubling to about 2 h, then 2 h for good (pkg/backoff). */
const BACKOFF_MS = [15, 30, 60, 120, 300, 600, 1200, 2400, 3600, 7200].map((seconds) => seconds * 1000);

/** Up to this much chance on top of each backoff (pkg/backoff: 0–30 s). */
const BACKOFF_JITTER_MS = 30_000;

/** A retry comes no sooner (pkg/consts MinRetryDuration). */
const SHORTEST_RETRY_MS = 1000;

/** A retry comes no later (pkg/consts MaxRetryDuration). */
const LONGEST_RETRY_MS = 24 * 3_600_000;

/** A sleep may end 366 days ahead; a longer one fails the run at once. */
export const LONGEST_SLEEP_MS = 366 * 86_400_000;

/** Milliseconds of "10s", "1h30m", "500ms", "1w"; null for anything else. */
export function parseDurationMs(text: string): number | null {
  if (!/^(\d+(\.\d+)?(ms|[wdhms]))+$/.test(text)) return null;
  let totalMs = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|[wdhms])/g)) {
    totalMs += Number(amount) * (UNIT_MS[unit as string] ?? 0);
  }
  return totalMs;
}

/**
 * When a `Retry-After` asks to be called again, or null if it cannot be read ("0", negative, prose): the default
 * backoff then applies. Whole seconds count from the beginning of the current second, so they come up to one second
 * early; a date is met exactly. Clamped to 1 s … 24 h, both counted from the beginning of the current second.
 */
export function retryAtMs(header: string | null, nowMs: number): number | null {
  if (!header) return null;
  const secondMs = Math.floor(nowMs / 1000) * 1000;
  let atMs: number;
  if (header.length <= 7 && /^\d+$/.test(header) && Number(header) > 0)
    atMs = secondMs + Number(header) * 1000;
  else if (/^-?\d+$/.test(header)) return null;
  else atMs = Date.parse(header);
  if (Number.isNaN(atMs)) return null;
  if (atMs - nowMs > LONGEST_RETRY_MS) return secondMs + LONGEST_RETRY_MS;
  if (atMs - nowMs < SHORTEST_RETRY_MS) return secondMs + SHORTEST_RETRY_MS;
  return atMs;
}

/** The wait before the next attempt when the app did not ask for one. `attempt` is the one that failed, from 0. */
export function backoffMs(attempt: number, random: () => number): number {
  const step = BACKOFF_MS[Math.min(attempt, BACKOFF_MS.length - 1)] as number;
  return step + Math.floor(random() * BACKOFF_JITTER_MS);
}

/**
 * How long a sleep lasts. A date is rounded to whole seconds from now, so it wakes up to half a second early or late;
 * a past date does not sleep. Null if the text is neither a duration nor a date.
 */
export function sleepMs(text: string, nowMs: number): number | null {
  if (text === "") return 0;
  const durationMs = parseDurationMs(text);
  if (durationMs !== null) return durationMs;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? null : Math.max(0, Math.round((atMs - nowMs) / 1000) * 1000);
}

/** When a wait gives up: a duration from now or a date. Null if the text is neither. */
export function expiryMs(text: string, nowMs: number): number | null {
  const durationMs = parseDurationMs(text);
  if (durationMs !== null) return nowMs + durationMs;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? null : atMs;
}
