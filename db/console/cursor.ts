import { type SQL, sql } from "drizzle-orm";
import { isId } from "../rules/id";

/** A place in a list that is ordered by an instant and an id: the last row that was looked at. */
export interface Place {
  /** Microseconds since the epoch, as text: the database's own precision, so that no row falls between two pages. */
  atUs: string;
  id: string;
}

/** A place as a word for addresses. */
export function writePlace({ atUs, id }: Place): string {
  return `${BigInt(atUs).toString(36)}.${id}`;
}

const WORD = /^([0-9a-z]{1,12})\.([0-9a-f-]{36})$/;

/** The place that a word names; null for a word that is none. */
export function readPlace(word: string): Place | null {
  const [, at = "", id = ""] = WORD.exec(word) ?? [];
  const us = Number.parseInt(at, 36);
  return Number.isSafeInteger(us) && isId(id) ? { atUs: String(us), id } : null;
}

/** The instant of a column with everything that it has, for a place. */
export function microseconds(column: SQL): SQL {
  return sql`(extract(epoch from ${column}) * 1000000)::bigint::text`;
}

/** The condition that a row stands behind a place in a list that is newest first. */
export function olderThan(place: Place | null, at: SQL, id: SQL): SQL {
  if (place === null) return sql`true`;
  return sql`(${at}, ${id}) < (timestamptz 'epoch' + ${place.atUs}::bigint * interval '1 microsecond', ${place.id}::uuid)`;
}
