import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { GET } from "../../../app/api/metrics/route";
import { resetConfig } from "../../../db/config";
import { readAnswers } from "../../../db/console/questions";
import { noteCallTime } from "../../../inngest/call-times";
import { emptyLedger, inMs, makeDelivery, makePartition } from "../../support/factories";
import { claim } from "../../support/ledger";

const TOKEN = "scrape-scrape-scrape";

beforeEach(async () => {
  await emptyLedger();
  process.env.METRICS_TOKEN = TOKEN;
  resetConfig();
});

afterEach(() => {
  delete process.env.METRICS_TOKEN;
  resetConfig();
});

const scrape = (token: string | null) =>
  GET(
    new Request(
      "http://127.0.0.1/api/metrics",
      token === null ? {} : { headers: { authorization: `Bearer ${token}` } },
    ),
  );

test("metrics are for whoever holds the token, and off without one", async () => {
  expect((await scrape(null)).status).toBe(401);
  expect((await scrape("wrong")).status).toBe(401);
  expect((await scrape(TOKEN)).status).toBe(200);
  delete process.env.METRICS_TOKEN;
  resetConfig();
  expect((await scrape("")).status).toBe(404);
});

test("the numbers are those of the four questions, and no label names a subscriber", async () => {
  const partition = await makePartition();
  const ready = await makeDelivery({ partition, scheduledAt: inMs(-4_000) });
  await makeDelivery({ partition, state: "dead" });
  // Nobody has admitted it, so its claim is refused.
  await claim([ready]);
  noteCallTime("email", "accepted", 80);
  const text = await (await scrape(TOKEN)).text();
  const labels = `{partition="${partition}",channel="email",lane="standard"}`;
  const { queues, refused } = await readAnswers(900_000);
  const standard = queues.find((row) => row.partition === partition && row.lane === "standard");
  expect(text).toContain(
    `punctual_queue_oldest_ready_seconds${labels} ${(standard?.oldestReadyMs ?? 0) / 1000}`,
  );
  expect(text).toContain(`punctual_queue_ready${labels} 1`);
  expect(text).toContain(`punctual_dead_letters{partition="${partition}",reason="attempts_exhausted"} 1`);
  expect(refused).toEqual([{ partition, reason: "not_admitted", total: 1, recent: 1 }]);
  expect(text).toContain(`claims_refused_total{partition="${partition}",reason="not_admitted"} 1`);
  expect(text).toContain(
    'messaging_client_operation_duration_seconds_count{channel="email",outcome="accepted"} 1',
  );
  for (const secret of [ready.subscriberId, ready.key, "@shopper.example"])
    expect(text).not.toContain(secret);
});

test("every metric that an alert or the board names is exported", async () => {
  await makeDelivery();
  noteCallTime("email", "accepted", 80);
  const text = await (await scrape(TOKEN)).text();
  const exported = new Set(
    [...text.matchAll(/^# TYPE (\S+) (\S+)/gm)].flatMap(([, name = "", type]) =>
      type === "histogram" ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
    ),
  );
  const folder = join(import.meta.dirname, "../../../operations");
  const board = JSON.parse(readFileSync(join(folder, "grafana.json"), "utf8")) as {
    panels: { targets: { expr: string }[] }[];
  };
  const expressions = board.panels.flatMap((panel) => panel.targets.map((target) => target.expr)).join("\n");
  const alerts = readFileSync(join(folder, "alerts.yml"), "utf8");
  const named = new Set(`${expressions}\n${alerts}`.match(/\b(punctual|claims|messaging)_[a-z_]+/g));
  expect(named.size).toBeGreaterThan(15);
  expect([...named].filter((name) => !exported.has(name))).toEqual([]);
});

test("every alert has its page in OPERATIONS.md, and none fires on a single 429 or on depth alone", () => {
  const alerts = readFileSync(join(import.meta.dirname, "../../../operations/alerts.yml"), "utf8");
  const pages = readFileSync(join(import.meta.dirname, "../../../OPERATIONS.md"), "utf8");
  const names = [...alerts.matchAll(/- alert: (\w+)/g)].map(([, name = ""]) => name);
  expect(names.length).toBeGreaterThan(5);
  expect(names.filter((name) => !pages.includes(`\`${name}\``))).toEqual([]);
  const rules = alerts.split("- alert: ").slice(1);
  for (const rule of rules) {
    expect(rule, "lasts before it fires").toMatch(/\n\s+for: [1-9]\d*[mh]\n/);
    // A 429 counts only as a share of the calls of a window, for longer than the window is.
    if (/throttled|429/.test(rule.replace(/summary: .*/, "")))
      expect(rule).toMatch(/slo_ratio\{measure="throttled_share"\}\) > 1\n\s+for: 30m/);
    // What waits is news only while it grows and will not be cleared.
    if (rule.includes("punctual_queue_ready")) expect(rule).toMatch(/deriv\(.*\n.*drain_seconds > /);
  }
});
