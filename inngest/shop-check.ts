import { config } from "../db/config";
import { effects } from "../db/effects";
import type { DueOccurrence } from "../db/ledger/due";
import { markMoot } from "../db/ledger/moot";
import { log } from "./log";
import { exchange, jsonObject } from "./providers/exchange";

/** What the shop gets to answer: a reminder must not be late because the shop is slow. */
const DEADLINE_MS = 2_000;

/**
 * Asks the shop, where a reminder names an address for it, whether the thing still makes sense (the order is not
 * cancelled, the sale not over), and marks those that do not: their deliveries are born `answered`. Only hosts that this
 * installation allows are asked, without credentials and without following anybody elsewhere. Whatever goes wrong, the
 * reminder is sent: it fails open.
 */
export async function askShops(due: readonly DueOccurrence[]): Promise<void> {
  const asked = due.filter(({ checkUrl }) => checkUrl !== null && isAllowed(checkUrl));
  const answers = await Promise.all(
    asked.map(async (row) => ((await isMoot(row)) ? [row.occurrenceId] : [])),
  );
  await markMoot(answers.flat());
}

function isAllowed(address: string): boolean {
  return URL.canParse(address) && config().shopCheckHosts.includes(new URL(address).host);
}

async function isMoot({ checkUrl, occurrenceId }: DueOccurrence): Promise<boolean> {
  const headers = { accept: "application/json" };
  const asked = await exchange(checkUrl ?? "", { headers }, effects.deadline(DEADLINE_MS));
  const told = asked.kind === "answered" && asked.answer.status === 200 ? jsonObject(asked.answer) : null;
  if (told !== null) return told.relevant === false;
  const status = asked.kind === "answered" ? asked.answer.status : null;
  log.info("the shop gave no answer that can be used, so the reminder is sent", { occurrenceId, status });
  return false;
}
