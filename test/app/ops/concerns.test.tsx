import { renderToStaticMarkup } from "react-dom/server";
import { beforeEach, expect, test } from "vitest";
import { Concerns } from "../../../app/_ops/concerns";
import { readPartitionHealth } from "../../../db/console/partitions";
import { readPulse } from "../../../db/console/pulse";
import { testClock } from "../../support/database";
import { emptyLedger, inMs, makeDelivery, makePartition } from "../../support/factories";

beforeEach(() => emptyLedger());

/** What an operator reads first, with so much time promised to every lane. */
async function concerns(sloMs: number): Promise<string> {
  const pulse = await readPulse();
  const partitions = pulse.partitions.map((partition) => ({ ...partition, pumpLive: true }));
  const markup = renderToStaticMarkup(
    <Concerns
      partitions={await readPartitionHealth()}
      pulse={{ ...pulse, partitions, lastSweepAgeMs: 0 }}
      slo={() => sloMs}
      outboxLag={{ waiting: 0, oldestMs: null }}
      timeZone="UTC"
      nowMs={testClock.nowMs()}
    />,
  );
  return markup.replace(/<[^>]+>/g, "");
}

test("the overview says first which lane is older than was promised and what waits for a decision, or that nothing does", async () => {
  const partition = await makePartition();
  await makeDelivery({ partition, scheduledAt: inMs(-120_000) });
  expect(await concerns(180_000)).toContain("Nothing needs a look");
  expect(await concerns(30_000)).toMatch(
    /standard: the oldest is 2 min past its time, of 30 s that are promised/,
  );
  await makeDelivery({ partition, state: "dead" });
  await makeDelivery({ partition, state: "dead", dismissedAt: inMs(0) });
  expect(await concerns(180_000)).toMatch(/1 dead letter waits for a decision/);
});
