import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { POST } from "../../../app/api/webhooks/twilio/route";
import { resetConfig } from "../../../db/config";
import { database, rows } from "../../../db/connection";
import { findSuppressions } from "../../../db/suppressions";
import { signTwilio } from "../../../standins/providers";
import { testClock } from "../../support/database";
import { inMs, makeDelivery } from "../../support/factories";

const TOKEN = process.env.TWILIO_AUTH_TOKEN ?? "";
const PATH = "/api/webhooks/twilio";

function post(
  fields: Record<string, string>,
  change: { token?: string; path?: string; origin?: string } = {},
) {
  const { token = TOKEN, path = PATH, origin = process.env.APP_URL } = change;
  const signature = signTwilio(token, `${origin}${path}`, fields);
  // Behind a proxy the request knows another scheme and host than Twilio called.
  return POST(
    new Request(`http://internal:9999${path}`, {
      method: "POST",
      headers: {
        "x-twilio-signature": signature,
        "content-type": "application/x-www-form-urlencoded",
      },
      body: new URLSearchParams(fields).toString(),
    }),
  );
}

const status = (sid: string, word: string, more: Record<string, string> = {}) => ({
  MessageSid: sid,
  MessageStatus: word,
  To: "+12025550123",
  ...more,
});

describe("a callback is believed only with Twilio's signature over the public address and every field", () => {
  test("another token, another address and another field are refused and change nothing", async () => {
    expect((await post(status("SM1", "delivered"), { token: "other" })).status).toBe(403);
    expect((await post(status("SM1", "delivered"), { origin: "http://evil.example" })).status).toBe(403);
    const fields = status("SM1", "delivered");
    const response = await POST(
      new Request(`http://internal:9999${PATH}`, {
        method: "POST",
        headers: { "x-twilio-signature": signTwilio(TOKEN, `${process.env.APP_URL}${PATH}`, fields) },
        body: new URLSearchParams({ ...fields, To: "+12025550199" }).toString(),
      }),
    );
    expect(response.status).toBe(403);
    expect(await rows(database(), sql`select 1 from receipts`)).toEqual([]);
  });
});

test("an unknown outcome is resolved by any status, and later statuses add to it", async () => {
  const delivery = await makeDelivery({
    state: "dead",
    channel: "sms",
    reason: "outcome_unknown",
    unresolvedSince: inMs(-500),
  });
  const path = `${PATH}?d=${delivery.reference}&a=00000000-0000-4000-8000-000000000000`;
  // The last word first: order makes no difference.
  expect((await post(status("SM2", "delivered"), { path })).status).toBe(204);
  expect((await post(status("SM2", "queued"), { path })).status).toBe(204);
  expect((await post(status("SM2", "queued"), { path })).status).toBe(204);
  expect(
    await rows(
      database(),
      sql`select state, provider_message_id as id from deliveries where id = ${delivery.id}::uuid`,
    ),
  ).toEqual([{ state: "delivered", id: "SM2" }]);
  expect(await rows(database(), sql`select report_id from receipts order by report_id`)).toEqual([
    { report_id: "SM2:delivered" },
    { report_id: "SM2:queued" },
  ]);
});

test("an inbound STOP is answered with nothing to say, and holds", async () => {
  const response = await post({ MessageSid: "SM3", From: "+12025550123", To: "+15005550006", Body: "Stop" });
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/xml");
  expect(await response.text()).toContain("<Response></Response>");
  expect(await rows(database(), sql`select reason, scope from suppressions`)).toEqual([
    { reason: "opted_out", scope: `sms:twilio:${process.env.TWILIO_ACCOUNT_SID}:+15005550006` },
  ]);
});

test("an inbound text is obeyed once: a START that comes again takes back no later STOP, nor a STOP a later START", async () => {
  const said = (sid: string, Body: string) =>
    post({ MessageSid: sid, From: "+12025550125", To: "+15005550006", Body });
  const holds = async () =>
    (await findSuppressions("sms", "+12025550125")).some(({ liftedAtMs }) => liftedAtMs === null);
  for (const [sid, word, after] of [
    ["SM20", "START", false],
    ["SM21", "STOP", true],
    ["SM20", "START", true],
    ["SM22", "START", false],
    ["SM21", "STOP", false],
    ["SM22", "START", false],
    ["SM23", "STOP", true],
    ["SM22", "START", true],
  ] as const) {
    await testClock.advance(1_000);
    expect((await said(sid, word)).status).toBe(200);
    expect([sid, word, await holds()]).toEqual([sid, word, after]);
  }
});

test("what no column takes is no reason to fail: Twilio would not send the report again", async () => {
  const odd = { MessageSid: "SM\0 9", MessageStatus: "undelivered", ErrorCode: "3\0" };
  expect((await post(odd, { path: `${PATH}?d=%00` })).status).toBe(204);
  const said = { MessageSid: "SM10", From: "+12025550124", To: "+1500\0", Body: "ST\0OP" };
  expect((await post(said)).status).toBe(200);
});

test("while Twilio's tokens are exchanged either is believed, and the former no more once it is taken out", async () => {
  const next = "the-secondary-token-of-twilio";
  const start = (token: string, previous?: string) => {
    process.env.TWILIO_AUTH_TOKEN = token;
    if (previous === undefined) delete process.env.TWILIO_AUTH_TOKEN_PREVIOUS;
    else process.env.TWILIO_AUTH_TOKEN_PREVIOUS = previous;
    resetConfig();
  };
  const under = async (token: string) => (await post(status("SM9", "sent"), { token })).status;
  expect([await under(TOKEN), await under(next)]).toEqual([204, 403]);
  start(next, TOKEN);
  expect([await under(TOKEN), await under(next)]).toEqual([204, 204]);
  start(next);
  expect([await under(TOKEN), await under(next)]).toEqual([403, 204]);
  start(TOKEN);
});
