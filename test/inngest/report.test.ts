import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { afterEach, beforeEach, expect, test } from "vitest";
import { resetConfig } from "../../db/config";
import { database, rows } from "../../db/connection";
import { readReports } from "../../db/dead-letter-reports";
import { replaceEffects } from "../../db/effects";
import { reportDeadLetters } from "../../inngest/report";
import { testClock } from "../support/database";
import { emptyLedger, makeDelivery, makePartition } from "../support/factories";

const posted: string[] = [];
let restore = () => {};

beforeEach(async () => {
  await emptyLedger();
  posted.length = 0;
  await rows(database(), sql`delete from auth_users`);
  await rows(
    database(),
    sql`insert into auth_users (id, name, email, email_verified, role, created_at, updated_at)
      values (${randomUUID()}, 'Op', 'op@shop.example', true, 'operator', ledger_now(), ledger_now())`,
  );
  process.env.OPERATOR_WEBHOOK_URL = "http://127.0.0.1:9/hook";
  resetConfig();
  restore = replaceEffects({
    fetch: async (url, init) => {
      if (String(url).endsWith("/hook")) posted.push(String(init?.body));
      return String(url).endsWith("/hook")
        ? new Response(null, { status: 204 })
        : Response.json({ ids: ["taken"], status: 200 });
    },
  });
});

afterEach(() => {
  restore();
  delete process.env.OPERATOR_WEBHOOK_URL;
  resetConfig();
});

const mails = () =>
  rows<{ content: { text: string }; lane: string }>(
    database(),
    sql`select p.content, d.lane from deliveries d join payloads p on p.id = d.payload_id
      join notices n on n.id = d.notice_id where n.template = 'dead-letter-report'`,
  );

test("ticks that overlap write one report, and each operator gets one mail of it in the urgent lane", async () => {
  const sms = await makePartition({ channel: "sms" });
  for (let made = 0; made < 3; made += 1)
    await makeDelivery({ partition: sms, channel: "sms", state: "dead" });
  await Promise.all(Array.from({ length: 4 }, () => reportDeadLetters()));
  expect(await readReports(10)).toMatchObject([
    { total: 3, change: 3, notify: "daily", toldBy: expect.stringContaining("email") },
  ]);
  const sent = await mails();
  expect(sent).toHaveLength(1);
  expect(sent[0]).toMatchObject({ lane: "urgent" });
  expect(sent[0]?.content.text).toContain(`${sms}: 3 attempts_exhausted in the last hour (+3)`);
});

test("what is about an email partition goes to the webhook and never by email", async () => {
  const email = await makePartition({ channel: "email" });
  await makeDelivery({ partition: email, state: "dead" });
  await reportDeadLetters();
  expect(await mails()).toEqual([]);
  expect(posted).toHaveLength(1);
  expect(posted[0]).toContain(email);
  expect(await readReports(1)).toMatchObject([{ toldBy: "webhook" }]);
});

test("growth over three hours is told once; an unchanged hour says nothing", async () => {
  const sms = await makePartition({ channel: "sms" });
  const bury = async (count: number) => {
    for (let made = 0; made < count; made += 1)
      await makeDelivery({ partition: sms, channel: "sms", state: "dead" });
  };
  const told: (string | null)[] = [];
  for (const more of [1, 5, 5, 5, 0, 0]) {
    await bury(more);
    await reportDeadLetters();
    const [report] = await readReports(1);
    told.push(report?.notify === "no" ? null : `${report?.notify}:${report?.alert}`);
    await testClock.advance(3_600_000);
  }
  expect(told).toEqual(["daily:null", null, null, "alert:growth", null, null]);
});
