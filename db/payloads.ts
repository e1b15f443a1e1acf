import { sql } from "drizzle-orm";
import { config } from "./config";
import { alone, rows, type Transaction } from "./connection";
import { effects } from "./effects";
import type { Channel } from "./rules/outcome";

/** Rendered content of one source for one channel and version; `cost` is SMS segments, else 1. */
export interface RenderedPayload {
  sourceId: string;
  channel: Channel;
  version: number;
  /** Tells renderings of one source apart: a language, a device. Empty where there is one. */
  variant?: string;
  content: unknown;
  cost: number;
}

/** Emails keep whom they are from: an attempt after a change of `EMAIL_FROM` sends the bytes of the first. */
function addressed({ channel, content }: RenderedPayload): unknown {
  if (channel !== "email" || typeof content !== "object" || content === null) return content;
  return { from: config().resend.from, ...content };
}

/**
 * Stores rendered content before anything opens. The first rendering of a version wins and is the one that is sent: a
 * second render of the same version changes nothing (P4, P9: same bytes on every attempt).
 */
export async function storePayloads(
  payloads: readonly RenderedPayload[],
  outer?: Transaction,
): Promise<void> {
  if (payloads.length === 0) return;
  const given = JSON.stringify(
    payloads.map((payload) => ({
      variant: "",
      ...payload,
      content: addressed(payload),
      id: effects.newId(),
    })),
  );
  const insert = sql`insert into payloads (id, source_id, channel, version, variant, content, cost, created_at)
        select w.id, w."sourceId", w.channel, w.version, w.variant, w.content, w.cost, ledger_now()
        from jsonb_to_recordset(${given}::jsonb) as w(id uuid, "sourceId" uuid, channel text, version int, variant text,
          content jsonb, cost int)
        on conflict (source_id, channel, version, variant) do nothing`;
  await (outer === undefined ? alone(insert) : rows(outer, insert));
}
