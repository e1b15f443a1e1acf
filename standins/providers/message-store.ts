import type { ProviderName } from "./answer";

/** An accepted message, as its reader would get it. */
export type Message = {
  provider: ProviderName;
  channel: "email" | "sms" | "push";
  providerMessageId: string;
  /** Epoch milliseconds of acceptance. */
  at: number;
  key: string | null;
  /** Every address, number or endpoint it went to. */
  recipients: string[];
  /** Other names of the recipient to filter by, such as a device id. */
  aliases: string[];
  /** The address line: recipients as the sender wrote them. */
  to: string;
  from: string;
  subject: string | null;
  /** Null for a push that its device cannot decrypt, and for one without a payload. */
  text: string | null;
  html: string | null;
  /** Where a push leads when it is clicked. */
  url?: string;
  /** The last thing the provider reported about it. */
  status: string;
  /** The later push that took this one's place on the screen: same device, same topic. */
  replacedBy: string | null;
  /** What is wrong with it, in words for the inbox. */
  note: string | null;
};

export type MessageFilter = { channel?: string | null; to?: string | null };

/** An inbox past this many messages forgets the oldest; a long benchmark must not fill the memory. */
const MOST_MESSAGES = 20_000;

/** Puts into a map that holds at most `most` entries, dropping the oldest. */
export function remember<Value>(
  map: Map<string, Value>,
  key: string,
  value: Value,
  most = MOST_MESSAGES,
): void {
  map.set(key, value);
  if (map.size <= most) return;
  const oldest = map.keys().next();
  if (!oldest.done) map.delete(oldest.value);
}

/** All accepted messages of all providers. */
export class MessageStore {
  readonly #messages = new Map<string, Message>();

  add(message: Message): void {
    remember(this.#messages, message.providerMessageId, message);
  }

  get(providerMessageId: string): Message | undefined {
    return this.#messages.get(providerMessageId);
  }

  /** Newest first. An address matches exactly but for case, or by an alias. */
  list(filter: MessageFilter = {}): Message[] {
    const wanted = filter.to?.toLowerCase();
    const names = (message: Message) => [...message.recipients, ...message.aliases];
    return [...this.#messages.values()]
      .filter((message) => !filter.channel || message.channel === filter.channel)
      .filter((message) => !wanted || names(message).some((name) => name.toLowerCase() === wanted))
      .reverse();
  }

  /** Notes a report, unless the message is forgotten by now. */
  report(providerMessageId: string, status: string): void {
    const message = this.#messages.get(providerMessageId);
    if (message) message.status = status;
  }

  clear(): void {
    this.#messages.clear();
  }
}
