import twilio from "twilio";
import { type Exchange, exchange } from "./exchange";

type Options<T> = Parameters<InstanceType<typeof twilio.RequestClient>["request"]>[0] & { data?: T };
type Answer<T> = Awaited<ReturnType<InstanceType<typeof twilio.RequestClient>["request"]>> & { body: T };

/**
 * The transport of Twilio's SDK for one call: our fetch instead of axios, the base address replaced (the SDK knows only
 * hosts of twilio.com), and the whole exchange kept, which the SDK's errors do not carry.
 */
export class LedgerTwilioTransport extends twilio.RequestClient {
  /** Null while the SDK has made no request. */
  exchanged: Exchange | null = null;
  readonly #baseUrl: string | null;
  readonly #signal: AbortSignal;

  constructor(baseUrl: string | null, signal: AbortSignal) {
    super({ autoRetry: false });
    this.#baseUrl = baseUrl;
    this.#signal = signal;
  }

  /** Called by the SDK. Throws where nothing was answered, as the original does. */
  override async request<T>(options: Options<T>): Promise<Answer<T>> {
    const { username, password, method, data, params } = options;
    const headers: Record<string, string> = {
      ...(options.headers as Record<string, string>),
      // A connection of its own: an idle one that the server closes under the request looks like a lost answer, and a
      // lost answer of a provider without idempotency costs a person's decision.
      Connection: "close",
      Authorization: `Basic ${Buffer.from(`${username ?? ""}:${password ?? ""}`).toString("base64")}`,
    };
    const url = this.#rebase(options.uri);
    for (const [name, value] of form(params)) url.searchParams.append(name, value);
    const body = data === undefined ? undefined : form(data).toString();
    const init = { method: method.toUpperCase(), headers, ...(body === undefined ? {} : { body }) };
    this.exchanged = await exchange(url, init, this.#signal);
    if (this.exchanged.kind !== "answered") throw new Error("no answer");
    const { status: statusCode, headers: answered, body: text } = this.exchanged.answer;
    return { statusCode, body: text ?? "", headers: answered } as unknown as Answer<T>;
  }

  #rebase(uri: string): URL {
    const url = new URL(uri);
    return this.#baseUrl === null ? url : new URL(`${this.#baseUrl}${url.pathname}${url.search}`);
  }
}

/** The SDK hands over plain objects of texts, numbers and lists of these. */
function form(fields: unknown): URLSearchParams {
  const encoded = new URLSearchParams();
  for (const [name, value] of Object.entries((fields ?? {}) as Record<string, unknown>)) {
    if (value === undefined || value === null) continue;
    for (const each of Array.isArray(value) ? value : [value]) encoded.append(name, String(each));
  }
  return encoded;
}
