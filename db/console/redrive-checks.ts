import { sql } from "drizzle-orm";
import { at } from "../connection";
import type { Check } from "./invariant-checks";

/** Two sweeps: one that is missed is no loss. */
const UNATTENDED = sql`interval '2 minutes'`;

/** What P4, P5 and P9 say about redrives. */
export const REDRIVE_CHECKS: readonly Check[] = [
  {
    promise: "P4",
    name: "a redriven delivery keeps every attempt",
    find: (scope) => sql`select d.key from redrive_members m join deliveries d on d.id = m.delivery_id
      where m.released_at >= ${at(scope.sinceMs)}
        and d.attempt_count <> (select count(*) from attempts a where a.delivery_id = d.id)`,
  },
  {
    promise: "P4",
    name: "a redriven delivery passes admission in its lane",
    find: (scope) => sql`select d.key from redrive_members m join deliveries d on d.id = m.delivery_id
      where m.released_at >= ${at(scope.sinceMs)} and (d.lane <> 'redrive' or d.redrive_id is null)`,
  },
  {
    promise: "P4",
    name: "a redriven delivery sends what it sent before",
    find: (scope) => sql`select d.key from redrive_members m join deliveries d on d.id = m.delivery_id
        join payloads p on p.id = d.payload_id
      where m.released_at >= ${at(scope.sinceMs)} and d.occurrence_id is not null
        and (p.version <> d.version or p.channel <> d.channel or p.source_id <> d.occurrence_id)`,
  },
  {
    promise: "P5",
    name: "a running redrive has a driver",
    find: () => sql`select r.id::text as key from redrives r
      where r.state = 'running' and coalesce(r.driver_until, r.resumed_at) < ledger_now() - ${UNATTENDED}`,
  },
  {
    promise: "P5",
    name: "a redrive that waits for somebody",
    listedOnly: true,
    find: () => sql`select r.id::text as key from redrives r where r.state = 'paused'`,
  },
  {
    promise: "P9",
    name: "no unknown outcome is redriven unless it was named",
    find: (scope) => sql`select d.key from redrive_members m join redrives r on r.id = m.redrive_id
        join deliveries d on d.id = m.delivery_id
      where m.released_at >= ${at(scope.sinceMs)} and not r.includes_ambiguous and d.unresolved_since < m.released_at`,
  },
];
