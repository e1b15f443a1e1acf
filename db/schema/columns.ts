import { timestamp } from "drizzle-orm/pg-core";

/** An instant. All instants are timestamptz: the value is the same whatever zone a session or a server is in. */
export const instant = (name: string) => timestamp(name, { withTimezone: true, mode: "date" });
