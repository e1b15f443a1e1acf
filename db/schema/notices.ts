import { sql } from "drizzle-orm";
import { check, index, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { instant } from "./columns";
import { destinations } from "./destinations";
import { subscribers } from "./subscribers";

/**
 * A message that is due now and travels in the `urgent` lane. A code, the test of a device and a report to operators go to one named
 * destination, which need not be verified yet: proving the address is what the code is for. A password reset, a fraud
 * alert and a notice about the account go to verified destinations of the asked channels. The text lives in `payloads`
 * and is wiped when its delivery ends.
 */
export const notices = pgTable(
  "notices",
  {
    id: uuid("id").primaryKey(),
    subscriberId: uuid("subscriber_id")
      .notNull()
      .references(() => subscribers.id, { onDelete: "restrict" }),
    /** The one address that a code is for; null where the channels say where it goes. */
    destinationId: uuid("destination_id").references(() => destinations.id, { onDelete: "restrict" }),
    template: text("template", {
      enum: [
        "sign-in-code",
        "phone-code",
        "device-test",
        "password-reset",
        "fraud-alert",
        "account-security",
      ],
    }).notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [
    index("notices_by_subscriber").on(table.subscriberId, table.createdAt),
    check(
      "notices_template_known",
      sql`${table.template} in ('sign-in-code', 'phone-code', 'device-test', 'dead-letter-report', 'password-reset', 'fraud-alert', 'account-security')`,
    ),
    check(
      "notices_code_names_its_address",
      sql`${table.template} not in ('sign-in-code', 'phone-code', 'device-test', 'dead-letter-report') or ${table.destinationId} is not null`,
    ),
  ],
);
