import { PROVIDERS, type ProviderName } from "./answer";

/** One call as it arrived. `at` is epoch milliseconds of arrival; `status` is null while, or because, there is no answer. */
export type LedgerCall = {
  id: number;
  provider: ProviderName;
  call: "send" | "look-up";
  at: number;
  /** Resend: Idempotency-Key; Twilio: `d` of the StatusCallback; push: Topic. */
  key: string | null;
  destination: string;
  /** The provider took the message on. False for a call that the idempotency store answered. */
  accepted: boolean;
  status: number | null;
  repeat: boolean;
  /** The fault that shaped the answer, if one did. */
  fault: string | null;
  providerMessageId: string | null;
};

/** Counts over the sends of one provider, or of all. */
export type LedgerSummary = {
  accepted: number;
  distinctKeys: number;
  /** Accepted sends beyond the first of their key. */
  duplicates: number;
  /** Answers 429, and 406 where a push service throttles with it. */
  throttled: number;
  /** The most calls that arrived within any one second. */
  maxInOneSecond: number;
};

/** The summary of all providers, with each by name. */
export type WholeSummary = LedgerSummary & { providers: Record<ProviderName, LedgerSummary> };

/**
 * Every call to every provider, in order of arrival. Nothing but {@link Ledger.clear} drops a call: it is the evidence on
 * which "accepted at most once" is judged.
 */
export class Ledger {
  #calls: LedgerCall[] = [];
  #nextId = 1;

  /** Notes an arrival; the answer is filled in later on the returned row. */
  arrive(call: Pick<LedgerCall, "provider" | "call" | "at" | "key" | "destination">): LedgerCall {
    const row: LedgerCall = {
      id: this.#nextId++,
      ...call,
      accepted: false,
      status: null,
      repeat: false,
      fault: null,
      providerMessageId: null,
    };
    this.#calls.push(row);
    return row;
  }

  /** Sends, oldest first; look-ups on request only, for they are not part of any promise. */
  calls(provider?: ProviderName, kind: LedgerCall["call"] = "send"): LedgerCall[] {
    return this.#calls.filter((row) => row.call === kind && (!provider || row.provider === provider));
  }

  summary(): WholeSummary;
  summary(provider: ProviderName): LedgerSummary;
  summary(provider?: ProviderName): LedgerSummary | WholeSummary {
    if (provider) return summarise(this.calls(provider));
    const entries = PROVIDERS.map((name) => [name, summarise(this.calls(name))] as const);
    const providers = Object.fromEntries(entries) as Record<ProviderName, LedgerSummary>;
    return { ...summarise(this.calls()), providers };
  }

  clear(): void {
    this.#calls = [];
  }
}

function summarise(calls: LedgerCall[]): LedgerSummary {
  const acceptedByKey = new Map<string, number>();
  let accepted = 0;
  let throttled = 0;
  for (const row of calls) {
    if (row.status === 429 || row.status === 406) throttled += 1;
    if (!row.accepted) continue;
    accepted += 1;
    if (row.key === null) continue;
    const key = `${row.provider} ${row.key}`;
    acceptedByKey.set(key, (acceptedByKey.get(key) ?? 0) + 1);
  }
  let duplicates = 0;
  for (const count of acceptedByKey.values()) duplicates += count - 1;
  const maxInOneSecond = mostWithin(calls, 1000);
  return { accepted, distinctKeys: acceptedByKey.size, duplicates, throttled, maxInOneSecond };
}

/** The most arrivals in any half-open window of `windowMs`; calls are in order of arrival. */
function mostWithin(calls: LedgerCall[], windowMs: number): number {
  let first = 0;
  let most = 0;
  calls.forEach((row, index) => {
    while ((calls[first] as LedgerCall).at <= row.at - windowMs) first += 1;
    most = Math.max(most, index - first + 1);
  });
  return most;
}
