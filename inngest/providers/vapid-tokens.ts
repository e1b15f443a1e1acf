import webPush from "web-push";
import { effects } from "../../db/effects";

/** The library's tokens last 12 h (RFC 8292 allows 24): a token is replaced long before, even if the clock slept. */
const REUSE_MS = 3_600_000;

/** Windows alone has hundreds of hosts; what is not remembered is signed again. */
const ORIGINS_MAX = 100;

export interface VapidKeys {
  publicKey: string;
  privateKey: string;
  /** `mailto:` or https: whom a push service writes to. */
  subject: string;
}

export interface VapidTokens {
  /** The `Authorization` header for an endpoint. Throws for keys that are none. */
  authorization(endpoint: string): string;
  /** Signs anew at the next call, after a service refused a token. */
  forget(endpoint: string): void;
}

/**
 * Signed VAPID headers, one per push service and hour. Signing takes twice as long as everything else about a push, and
 * a token names the service only, neither message nor device.
 */
export function vapidTokens({ publicKey, privateKey, subject }: VapidKeys): VapidTokens {
  const signed = new Map<string, { header: string; signedAtMs: number }>();
  return {
    authorization(endpoint) {
      const { origin } = new URL(endpoint);
      const nowMs = effects.monotonicMs();
      const known = signed.get(origin);
      if (known !== undefined && nowMs - known.signedAtMs < REUSE_MS && nowMs >= known.signedAtMs) {
        return known.header;
      }
      const header = webPush.getVapidHeaders(
        origin,
        subject,
        publicKey,
        privateKey,
        "aes128gcm",
      ).Authorization;
      if (signed.size >= ORIGINS_MAX) signed.clear();
      signed.set(origin, { header, signedAtMs: nowMs });
      return header;
    },
    forget(endpoint) {
      signed.delete(new URL(endpoint).origin);
    },
  };
}
