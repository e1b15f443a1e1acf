import { z } from "zod";
import type { DeliveryFilters } from "../../../../db/console/deliveries";
import { LANES } from "../../../../db/rules/fair-share";
import { isId } from "../../../../db/rules/id";
import { DEAD_REASONS, DELIVERY_STATES, EXPIRED_REASONS, WAIT_CLASSES } from "../../../../db/rules/lifecycle";
import { address, one, type Query } from "../../../_ops/words";

const HOUR_MS = 3_600_000;

export const WITHIN: readonly { word: string; name: string; ms: number }[] = [
  { word: "1h", name: "the last hour", ms: HOUR_MS },
  { word: "24h", name: "the last 24 hours", ms: 24 * HOUR_MS },
  { word: "7d", name: "the last 7 days", ms: 168 * HOUR_MS },
];

export const REASONS = [...DEAD_REASONS, ...EXPIRED_REASONS] as const;
export const CLASSES = ["accepted", ...WAIT_CLASSES, "destination_rejected", "message_rejected"] as const;

/** What the list's address may ask; what it does not know is left out and said so. */
const SCHEMA = {
  state: z.enum(DELIVERY_STATES),
  channel: z.enum(["email", "sms", "push"]),
  partition: z.string().max(200),
  lane: z.enum(LANES as ["urgent", "standard", "bulk", "redrive"]),
  reason: z.enum(REASONS),
  class: z.enum(CLASSES),
  within: z.enum(["1h", "24h", "7d"]),
  subscriber: z.string().refine(isId),
  reminder: z.string().refine(isId),
} as const;
export type FilterName = keyof typeof SCHEMA;
export const FILTER_NAMES = Object.keys(SCHEMA) as FilterName[];

export interface ReadFilters {
  /** As they stand in the address. */
  words: Partial<Record<FilterName, string>>;
  filters: DeliveryFilters;
  /** Names of what was given and is not known. */
  unknown: FilterName[];
}

/** Reads the filters of an address. */
export function readFilters(query: Query): ReadFilters {
  const words: ReadFilters["words"] = {};
  const unknown: FilterName[] = [];
  for (const name of FILTER_NAMES) {
    const given = one(query, name);
    if (given === undefined) continue;
    if (SCHEMA[name].safeParse(given).success) words[name] = given;
    else unknown.push(name);
  }
  const { state, channel, partition, lane, reason, within, subscriber, reminder } = words;
  const withinMs = WITHIN.find(({ word }) => word === within)?.ms;
  const filters = {
    state,
    channel,
    partition,
    lane,
    reason,
    lastClass: words.class,
    withinMs,
    subscriberId: subscriber,
    reminderId: reminder,
  };
  const given = Object.entries(filters).filter(([, value]) => value !== undefined);
  return { words, filters: Object.fromEntries(given) as DeliveryFilters, unknown };
}

/** The address of the list with these filters. */
export function deliveriesAddress(words: Partial<Record<FilterName | "after", string>>): string {
  return address("/ops/deliveries", words);
}
