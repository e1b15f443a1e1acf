import { beforeEach, expect, test } from "vitest";
import { recoverLeases } from "../../../db/ledger/recover";
import { recordReport } from "../../../db/receipts/record";
import { leaseMs } from "../../../db/rules/retry-policy";
import { testClock } from "../../support/database";
import { emptyLedger, makeDelivery } from "../../support/factories";
import {
  ACCEPTED,
  admitRows,
  begin,
  expireLease,
  readAttempts,
  readDelivery,
  settle,
} from "../../support/ledger";

beforeEach(emptyLedger);

test.each(["email", "sms"] as const)(
  "%s: a report between the end of a dead holder's lease and its recovery leaves no attempt open",
  async (channel) => {
    const row = await makeDelivery({ channel });
    await admitRows([row.id]);
    await begin(row);
    await testClock.advance(leaseMs(channel) + 1);
    await recordReport({
      provider: channel === "email" ? "resend" : "twilio",
      reportId: `report of ${row.id}`,
      reference: row.reference,
      providerMessageId: "msg-1",
      meaning: "arrived",
      code: null,
      suppresses: null,
    });
    await recoverLeases({ partition: null, limit: 100 });
    expect(await readDelivery(row.id)).toMatchObject({ state: "delivered", providerMessageId: "msg-1" });
    expect(await readAttempts(row.id)).toMatchObject([{ class: "crashed", settledAt: expect.any(Date) }]);
  },
);

test("late acceptance under a holder of its own closes that one's attempt, and its answer is still written down", async () => {
  const row = await makeDelivery();
  await admitRows([row.id]);
  const first = await begin(row);
  await expireLease(row.id);
  await testClock.set((await readDelivery(row.id)).nextEligibleAt?.getTime() ?? 0);
  await admitRows([row.id]);
  const second = await begin(row, { runId: "run-2" });
  await settle(first, ACCEPTED);
  expect(await readAttempts(row.id)).toMatchObject([{ class: "accepted" }, { class: "crashed" }]);
  await settle(second, { class: "transient" });
  expect(await readAttempts(row.id)).toMatchObject([{ class: "accepted" }, { class: "transient" }]);
  expect(await readDelivery(row.id)).toMatchObject({ state: "delivered" });
});
