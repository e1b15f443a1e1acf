import { sql } from "drizzle-orm";
import { RECEIPT_MEANINGS } from "../rules/receipt";

/** Lightest first, as an SQL array of our own words. */
const MEANINGS = sql.raw(`array['${RECEIPT_MEANINGS.join("', '")}']`);

/** Of delivery `d`: what the weightiest of its provider's reports means; null when none has come. */
export const WEIGHTIEST_RECEIPT = sql`(select r.meaning from receipts r where r.delivery_id = d.id
  order by array_position(${MEANINGS}, r.meaning) desc limit 1)`;
