import { sql } from "drizzle-orm";
import { rows, type Transaction, transact } from "../connection";
import { effects } from "../effects";
import type { ProviderReport } from "../rules/receipt";
import { cleanProviderText } from "../rules/text";
import { suppress } from "../suppressions";
import { believeReports } from "./believe";

/** What became of a report. */
export type Recorded = "recorded" | "repeated" | "unknown_delivery";

interface Reported {
  id: string;
  channel: "email" | "sms" | "push";
  partition: string | null;
  address: string | null;
}

/**
 * Writes down what a provider reports about a message, once (DESIGN: receipts resolve unknown outcomes).
 *
 * A report that proves acceptance ends any waiting or unknown delivery as delivered; a bounce, complaint or opt-out suppresses the address. Reports may come twice, late and in any order: the
 * end is the same. One about a delivery that nobody knows any more is remembered and changes nothing; one about somebody
 * who was erased suppresses nobody: their address is gone.
 *
 * Lock order: address, destinations, delivery.
 */
export async function recordReport(report: ProviderReport): Promise<Recorded> {
  return transact(async (tx) => {
    const delivery = await findReported(tx, report);
    const inserted = await rows(
      tx,
      sql`insert into receipts (id, provider, report_id, delivery_id, meaning, provider_message_id, code, reported_at)
        values (${effects.newId()}::uuid, ${report.provider}, ${bounded(report.reportId, 200)},
          ${delivery?.id ?? null}::uuid, ${report.meaning}, ${bounded(report.providerMessageId, 200)},
          ${bounded(report.code, 100)}, ledger_now())
        on conflict (provider, report_id) do nothing returning id`,
    );
    if (inserted.length === 0) return "repeated";
    if (delivery === null) return "unknown_delivery";
    if (report.suppresses !== null && delivery.address !== null && delivery.channel !== "push") {
      await suppress(tx, {
        channel: delivery.channel,
        address: delivery.address,
        // STOP is said to a sender; a dead or complaining mailbox is one for everybody.
        scope: report.suppresses === "opted_out" ? (delivery.partition ?? "*") : "*",
        reason: report.suppresses,
      });
    }
    // The holder of a lease settles by itself; with this lock it does so before this report, or knowing it.
    await rows(tx, sql`select id from deliveries where id = ${delivery.id}::uuid for update`);
    await believeReports(tx, [delivery.id]);
    return "recorded";
  });
}

/** Somebody else's text as a column takes it: an error here would make the provider send the same report for a day. */
function bounded<Text extends string | null>(text: Text, maxCharacters: number): Text {
  return (text === null ? null : cleanProviderText(text, maxCharacters)) as Text;
}

/** As our own names at providers are. */
const REFERENCE = /^[\w-]{1,64}$/;

async function findReported(tx: Transaction, { reference }: ProviderReport): Promise<Reported | null> {
  if (reference === null || !REFERENCE.test(reference)) return null;
  const [named] = await rows<Reported>(
    tx,
    sql`select d.id, d.channel, d.partition, case when x.state_reason is distinct from 'erased' then x.address end as address
      from deliveries d left join destinations x on x.id = d.destination_id where d.reference = ${reference}`,
  );
  return named ?? null;
}
