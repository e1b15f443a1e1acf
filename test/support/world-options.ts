import type { Channel } from "../../db/rules/outcome";

/** What a world takes from chance; by default nothing. */
export interface Chance {
  random: () => number;
  newId?: () => string;
}

/** A reminder to be set, from the world's present. */
export interface ReminderOptions {
  inMs: number;
  channels?: Channel[];
  title?: string;
  expiresAfterSeconds?: number;
}
