import { shortenToFit, wellFormed } from "./shorten";

/**
 * The most that a push service must take: 4096 bytes of ciphertext (RFC 8030 section 7.2) less the 103 that encryption
 * adds (86 of header, 16 of tag, 1 of padding).
 */
export const PUSH_PLAINTEXT_BYTES_MAX = 3993;

/** What the notification shows, and where a click leads. */
export interface PushMessage {
  title: string;
  body: string;
  url: string;
  /** The same on every attempt: the browser replaces an earlier notification of this tag instead of showing two. */
  tag: string;
  /** What its buttons need to act, and the buttons: whole or not at all. */
  token?: string | undefined;
  actions?: readonly { action: string; title: string }[] | undefined;
}

/** The size of a text in UTF-8. */
export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

/**
 * The JSON text for the service worker, in at most `bytesMax` bytes of UTF-8 as the wire counts them.
 *
 * The body is shortened first, then the title; the link and the tag stay whole, and no character is split. Null when
 * not even one character of the title fits beside the link: such a message can never be sent.
 */
export function fitPushPayload(message: PushMessage, bytesMax = PUSH_PLAINTEXT_BYTES_MAX): string | null {
  const title = wellFormed(message.title);
  const body = wellFormed(message.body);
  const { tag, token, actions } = message;
  const url = wellFormed(message.url);
  const json = (shortTitle: string, shortBody: string) =>
    JSON.stringify({ title: shortTitle, body: shortBody, url, tag, token, actions });
  const fits = (shortTitle: string, shortBody: string) => byteLength(json(shortTitle, shortBody)) <= bytesMax;

  if (fits(title, "")) {
    return json(
      title,
      shortenToFit(body, (candidate) => fits(title, candidate)),
    );
  }
  const shortTitle = shortenToFit(title, (candidate) => fits(candidate, ""));
  return shortTitle === "" ? null : json(shortTitle, "");
}
