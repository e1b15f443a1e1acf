import { sql } from "drizzle-orm";
import { check, pgTable, text } from "drizzle-orm/pg-core";
import { instant } from "./columns";

/**
 * Texts that asked for something (STOP, START), each once and for ever: Twilio's signature holds no time, so a START of
 * long ago that comes again would take back a STOP of today. Nothing personal is here.
 */
export const inboundTexts = pgTable(
  "inbound_texts",
  {
    messageId: text("message_id").primaryKey(),
    receivedAt: instant("received_at").notNull(),
  },
  (table) => [
    check("inbound_texts_message_id_bounded", sql`char_length(${table.messageId}) between 1 and 64`),
  ],
);
