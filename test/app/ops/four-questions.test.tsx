import { renderToStaticMarkup } from "react-dom/server";
import { beforeEach, expect, test } from "vitest";
import { AnswersSummary } from "../../../app/_ops/answers-summary";
import { FourQuestions } from "../../../app/_ops/four-questions";
import { count, duration, share } from "../../../app/_ops/words";
import { GET } from "../../../app/api/metrics/route";
import { resetConfig } from "../../../db/config";
import { readAnswers } from "../../../db/console/questions";
import { emptyLedger, inMs, makeDelivery, makePartition } from "../../support/factories";
import { ACCEPTED, admitRows, begin, claim, settle } from "../../support/ledger";

const TOKEN = "scrape-scrape-scrape";

beforeEach(async () => {
  await emptyLedger();
  process.env.METRICS_TOKEN = TOKEN;
  resetConfig();
});

/** Every sample of a scrape, by metric and labels. */
async function scrape(): Promise<Map<string, number>> {
  const request = new Request("http://127.0.0.1/api/metrics", {
    headers: { authorization: `Bearer ${TOKEN}` },
  });
  const text = await (await GET(request)).text();
  const samples = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    samples.map((line) => {
      const end = line.lastIndexOf(" ");
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
}

/** A ledger with something to say to each question. */
async function makeAnswers(): Promise<string> {
  const partition = await makePartition({ ceiling: 100, burst: 10 });
  const [accepted, throttled, tried] = [
    await makeDelivery({ partition, scheduledAt: inMs(-3_000), createdAt: inMs(-3_000) }),
    await makeDelivery({ partition, scheduledAt: inMs(-2_000), createdAt: inMs(-2_000) }),
    await makeDelivery({ partition, scheduledAt: inMs(-90_500) }),
  ];
  await admitRows([accepted.id, throttled.id]);
  await settle(await begin(accepted), ACCEPTED);
  await settle(await begin(throttled), { class: "throttled", retryAfterMs: 4_000, scope: "destination" });
  // Nobody has admitted it, so its claim is refused.
  await claim([tried]);
  await makeDelivery({ partition, state: "dead" });
  await makeDelivery({ partition, state: "dead", dismissedAt: inMs(0) });
  return partition;
}

test("the overview, the questions' page and the metrics answer with equal numbers", async () => {
  const partition = await makeAnswers();
  const answers = await readAnswers(900_000);
  const samples = await scrape();
  const queue = answers.queues.find((row) => row.lane === "standard");
  const delays = answers.delays.find((row) => row.channel === "email" && row.lane === "standard");
  if (queue === undefined || delays === undefined) throw new Error("nothing was answered");
  const ofLane = `{partition="${partition}",channel="email",lane="standard"}`;
  const ofChannel = `{channel="email",lane="standard"}`;
  const wanted: [string, number | null][] = [
    [`punctual_queue_ready${ofLane}`, queue.ready],
    [`punctual_queue_waiting${ofLane}`, queue.waiting],
    [`punctual_queue_oldest_ready_seconds${ofLane}`, (queue.oldestReadyMs ?? 0) / 1000],
    [`punctual_queue_oldest_overdue_seconds${ofLane}`, (queue.oldestOverdueMs ?? 0) / 1000],
    [`punctual_delayed_by_admission_ratio${ofChannel}`, delays.byAdmission / delays.attempted],
    [`punctual_delayed_by_throttling_ratio${ofChannel}`, delays.byThrottling / delays.attempted],
    [`punctual_dead_letters{partition="${partition}",reason="attempts_exhausted"}`, 1],
    [`claims_refused_total{partition="${partition}",reason="not_admitted"}`, 1],
  ];
  for (const [sample, value] of wanted) expect([sample, samples.get(sample)]).toEqual([sample, value]);
  expect([queue.ready, delays.attempted, delays.byAdmission, delays.byThrottling]).toEqual([1, 4, 2, 1]);

  const page = renderToStaticMarkup(<FourQuestions answers={answers} />);
  const overview = renderToStaticMarkup(<AnswersSummary answers={answers} />);
  const told = [
    duration(queue.oldestReadyMs ?? 0),
    duration(queue.oldestOverdueMs ?? 0),
    share(delays.byAdmission / delays.attempted),
    share(delays.byThrottling / delays.attempted),
    count(1),
  ];
  for (const value of told) {
    expect(page).toContain(value);
    expect(overview).toContain(value);
  }
  expect(overview).toContain("1 attempts exhausted");
  expect(overview).toContain("1 not admitted");
});
