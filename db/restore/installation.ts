import { sql } from "drizzle-orm";
import { alone } from "../connection";

/** What this ledger is, beside what it says it is. */
export interface Installation {
  mode: "sending" | "held";
  generation: string;
  /** The server that this ledger was last promoted on, or first started on; null before. */
  stored: string | null;
  /** The server it is on. */
  present: string;
  snapshotAtMs: number | null;
  promotedAtMs: number | null;
}

export async function readInstallation(): Promise<Installation> {
  const [row] = await alone<Installation>(
    sql`select mode, generation, installation as stored, ledger_installation() as present,
        epoch_ms(snapshot_at) as "snapshotAtMs", epoch_ms(promoted_at) as "promotedAtMs" from ledger_state`,
  );
  if (row === undefined) throw new Error("Bug! ledger_state has no row");
  return row;
}

/** Names the server at the first start; from then on a copy on another one holds itself. Running it again changes nothing. */
export async function stampInstallation(): Promise<void> {
  await alone(sql`update ledger_state set installation = ledger_installation() where installation is null`);
}
