import { createHash } from "node:crypto";
import type { Clock } from "../clock";
import type { ProviderName } from "./answer";
import type { Ledger } from "./ledger";
import type { Line } from "./line";
import type { MessageStore } from "./message-store";
import type { Receipts } from "./receipts";

/** What the providers share. */
export type World = {
  clock: Clock;
  ledger: Ledger;
  messages: MessageStore;
  receipts: Receipts;
  lines: Record<ProviderName, Line>;
  newId: () => string;
  /** This server's address, without a slash at the end. */
  baseUrl: string;
  /** The app's address, without a slash at the end; null when there is no app to tell. */
  appUrl: string | null;
  webhookSecret: string;
  /** Null accepts any token and signs with the one presented. */
  twilioAuthToken: string | null;
  /** The clock that VAPID expiry is judged by. */
  vapidNowMs: () => number;
};

/** 32 hex digits out of any id, the form of Twilio's sids. */
export function hexId(id: string): string {
  return createHash("sha256").update(id).digest("hex").slice(0, 32);
}
