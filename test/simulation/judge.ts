import { checkInvariants } from "../../db/console/invariants";
import type { Violation } from "./evidence";

/** What `npm run ops -- invariants` says about the story's database, all of its history and without forgiving anything. */
export async function databaseViolations(): Promise<Violation[]> {
  const { checks } = await checkInvariants({
    historyMs: Number.POSITIVE_INFINITY,
    toleranceMs: 0,
    atOnce: true,
  });
  return checks.flatMap(({ promise, name, violations, sample }) =>
    violations === 0 ? [] : sample.map((key) => ({ promise, rule: `invariant: ${name}`, key })),
  );
}
