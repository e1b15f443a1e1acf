import { NonRetriableError, RetryAfterError } from "inngest";
import { log } from "./log";

/**
 * The engine client's logger. What our functions throw on purpose is news, not a fault: a throttled parcel that asks to
 * be woken (`RetryAfterError`), and a dead letter that stands as a failed run (`NonRetriableError`).
 */
export const engineLog = {
  debug: () => {},
  info: (...words: unknown[]) => log.info(sentence(words), fields(words)),
  warn: (...words: unknown[]) => log.warn(sentence(words), fields(words)),
  error(...words: unknown[]): void {
    const { error } = fields(words);
    const intended = error instanceof RetryAfterError || error instanceof NonRetriableError;
    const write = intended ? log.info : log.error;
    write(sentence(words), fields(words));
  },
};

function sentence(words: readonly unknown[]): string {
  return words.filter((word) => typeof word === "string").join(" ") || "inngest";
}

/** The SDK names its error `err`, and writes it before the sentence. */
function fields(words: readonly unknown[]): { error?: unknown } {
  for (const word of words) {
    if (word instanceof Error) return { error: word };
    if (typeof word === "object" && word !== null && "err" in word) return { error: word.err };
  }
  return {};
}
