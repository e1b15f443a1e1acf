import { sql } from "drizzle-orm";
import { check, index, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { instant } from "./columns";
import { partitions } from "./partitions";

/**
 * Something operators must be told once: a quota that parks a partition, a configuration fault that opens its circuit.
 * One open notice per partition and kind (unique index); "once" counts notices delivered, so `told_at` is set only when
 * a medium has taken it.
 */
export const operatorNotices = pgTable(
  "operator_notices",
  {
    id: uuid("id").primaryKey(),
    partition: text("partition")
      .notNull()
      .references(() => partitions.key, { onDelete: "cascade" }),
    kind: text("kind", { enum: ["quota", "config_rejected"] }).notNull(),
    detail: text("detail").notNull(),
    openedAt: instant("opened_at").notNull(),
    toldAt: instant("told_at"),
    closedAt: instant("closed_at"),
  },
  (table) => [
    uniqueIndex("operator_notices_one_open").on(table.partition, table.kind).where(sql`closed_at is null`),
    index("operator_notices_untold").on(table.openedAt).where(sql`told_at is null`),
    check("operator_notices_kind_known", sql`${table.kind} in ('quota', 'config_rejected')`),
  ],
);
