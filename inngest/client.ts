import { Inngest } from "inngest";
import { effects } from "../db/effects";
import { engineLog } from "./engine-log";

/**
 * The engine's client. Checkpointing is off: each step is one request, so a lost answer repeats one step and nothing
 * else, and the ledger makes that harmless. Address and keys come from the environment (`INNGEST_*`).
 */
export const inngest = new Inngest({
  id: "punctual",
  checkpointing: false,
  logger: engineLog,
  fetch: ((url: string | URL, init?: RequestInit) => effects.fetch(url, init)) as typeof fetch,
});
