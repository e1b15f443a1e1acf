/** What a peer's worker is told: where its store and the provider are. */
export interface PeerSettings {
  databaseUrl: string;
  redisUrl: string;
  /** Of the stand-in email provider. */
  providerUrl: string;
  ratePerSecond: number;
}

/** One system that sends the same messages through the same provider, at one of its configurations. */
export interface Peer {
  /** As it stands in tables. */
  title: string;
  /** Where its jobs lie. */
  store: "redis" | "postgres";
  /** What is special about this configuration, in one line. */
  configuration: string;
  /** Puts that many jobs into its store, with nothing running. */
  fill(settings: PeerSettings, keys: readonly string[]): Promise<void>;
  /** Begins to work; the jobs are sent by `sendEmail`. Returns once it works. */
  work(settings: PeerSettings): Promise<void>;
}

/** Enough for every job to meet a long throttling and still be sent: nothing may be lost for a count of tries. */
export const TRIES_MAX = 10_000;

/** Calls under way at once: more than rate × the provider's time to answer. */
export const CONCURRENCY = 50;

/** What the provider said: accepted, or when to come again. */
export type Answer = { accepted: true } | { accepted: false; retryAfterMs: number };

/** One message to the stand-in, as each system's handler sends it. Throws for anything but an acceptance or a 429. */
export async function sendEmail({ providerUrl }: PeerSettings, key: string): Promise<Answer> {
  const response = await fetch(`${providerUrl}/emails`, {
    method: "POST",
    headers: {
      authorization: "Bearer re_dev",
      "content-type": "application/json",
      "idempotency-key": key,
    },
    body: JSON.stringify({
      from: "Shop <shop@punctual.example>",
      to: [`${key}@shopper.example`],
      subject: "Water the plant",
      text: "The one in the corner wants less than the others.",
    }),
  });
  await response.text();
  if (response.ok) return { accepted: true };
  if (response.status !== 429) throw new Error(`the provider answered ${response.status}`);
  const seconds = Number(response.headers.get("retry-after") ?? 1);
  return { accepted: false, retryAfterMs: Math.max(1, seconds * 1000) };
}

/** A pace kept in one process: each caller waits until its turn. What a careful user of a queue without limits adds. */
export class Pace {
  #nextMs = 0;
  readonly #everyMs: number;

  constructor(perSecond: number) {
    this.#everyMs = 1000 / perSecond;
  }

  async turn(): Promise<void> {
    const nowMs = performance.now();
    this.#nextMs = Math.max(this.#nextMs + this.#everyMs, nowMs);
    const waitMs = this.#nextMs - nowMs;
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
  }

  /** Nobody's turn comes before that time is over: the provider asked for it. */
  rest(ms: number): void {
    this.#nextMs = Math.max(this.#nextMs, performance.now() + ms);
  }
}
