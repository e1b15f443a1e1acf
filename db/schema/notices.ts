import { sql } from "drizzle-orm";
import { check, index, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { instant } from "./columns";
import { destinations } from "./destinations";
import { subscribers } from "./subscribers";

/**
 * A message that is due now and travels in the `urgent` lane: sign-in and phone codes, tests of a device, and reports to
 * operators. It goes to one named destination,
 * which need not be verified yet: proving the address is what the code is for. The text lives in `payloads` and is wiped
 * when the delivery ends.
 */
export const notices = pgTable(
  "notices",
  {
    id: uuid("id").primaryKey(),
    subscriberId: uuid("subscriber_id")
      .notNull()
      .references(() => subscribers.id, { onDelete: "restrict" }),
    destinationId: uuid("destination_id")
      .notNull()
      .references(() => destinations.id, { onDelete: "restrict" }),
    template: text("template", {
      enum: ["sign-in-code", "phone-code", "device-test", "dead-letter-report"],
    }).notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [
    index("notices_by_subscriber").on(table.subscriberId, table.createdAt),
    check(
      "notices_template_known",
      sql`${table.template} in ('sign-in-code', 'phone-code', 'device-test', 'dead-letter-report')`,
    ),
  ],
);
