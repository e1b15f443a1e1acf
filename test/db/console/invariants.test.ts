import { sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { database, rows } from "../../../db/connection";
import { checkInvariants } from "../../../db/console/invariants";
import { testClock } from "../../support/database";
import { emptyLedger } from "../../support/factories";

beforeEach(() => emptyLedger());

test("an empty ledger keeps every promise", async () => {
  const invariants = await checkInvariants();
  expect(invariants.checks.filter((check) => check.violations > 0)).toEqual([]);
  expect(invariants.ok).toBe(true);
  expect(new Set(invariants.checks.map((check) => check.promise)).size).toBe(9);
});
