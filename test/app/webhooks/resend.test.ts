import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { POST } from "../../../app/api/webhooks/resend/route";
import { resetConfig } from "../../../db/config";
import { database, rows } from "../../../db/connection";
import { eraseSubscriber } from "../../../db/privacy/erase";
import { signSvix } from "../../../standins/providers";
import { makeDelivery, makeDestination, makeSubscriber } from "../../support/factories";

const SECRET = process.env.RESEND_WEBHOOK_SECRET ?? "";
const nowSeconds = () => Math.floor(Date.now() / 1000);

function post(
  body: string,
  change: { id?: string; ageSeconds?: number; secret?: string; signature?: string } = {},
) {
  const { id = "msg_1", ageSeconds = 0, secret = SECRET } = change;
  const seconds = nowSeconds() - ageSeconds;
  const signature = change.signature ?? signSvix(secret, id, seconds, body);
  const headers = { "svix-id": id, "svix-timestamp": String(seconds), "svix-signature": signature };
  return POST(new Request("http://127.0.0.1:3000/api/webhooks/resend", { method: "POST", headers, body }));
}

const event = (reference: string, type = "email.delivered", extra: object = {}) =>
  JSON.stringify({ type, data: { email_id: "e-1", tags: { delivery_id: reference }, ...extra } });

const receipts = () =>
  rows(database(), sql`select meaning, code from receipts order by reported_at, report_id`);

describe("a report is believed only with Svix's signature over its bytes, made in the last five minutes", () => {
  test.each([
    ["another secret", { secret: "whsec_b3RoZXI=" }],
    ["an old timestamp", { ageSeconds: 301 }],
    ["a timestamp ahead", { ageSeconds: -330 }],
    ["no signature", { signature: "" }],
    ["a signature of nothing", { signature: "v1,AAAA" }],
  ])("%s is refused and changes nothing", async (_, change) => {
    const before = await receipts();
    const response = await post(event("nobody"), { id: "msg_forged", ...change });
    expect(response.status).toBe(401);
    expect(await receipts()).toEqual(before);
  });

  test("one changed byte is refused", async () => {
    const signature = signSvix(SECRET, "msg_1", nowSeconds(), event("nobody"));
    expect((await post(event("somebody"), { signature })).status).toBe(401);
  });

  test("while a secret is rotated, one of several signatures is enough", async () => {
    const body = event("nobody");
    const good = signSvix(SECRET, "msg_rotated", nowSeconds(), body);
    expect((await post(body, { id: "msg_rotated", signature: `v1,AAAA ${good}` })).status).toBe(204);
  });

  test("while two secrets are set either is believed, and the former no more once it is taken out", async () => {
    const next = `whsec_${Buffer.from("the-next-secret-of-resend").toString("base64")}`;
    const under = (secret: string, id: string) => post(event("nobody"), { id, secret });
    const start = (secrets: string) => {
      process.env.RESEND_WEBHOOK_SECRET = secrets;
      resetConfig();
    };
    expect((await under(next, "msg_early")).status).toBe(401);
    start(`${SECRET}, ${next}`);
    expect((await under(SECRET, "msg_old")).status).toBe(204);
    expect((await under(next, "msg_new")).status).toBe(204);
    start(next);
    expect((await under(SECRET, "msg_late")).status).toBe(401);
    expect((await under(next, "msg_next")).status).toBe(204);
    start(SECRET);
  });
});

test("what is signed but cannot be read is told apart from what says nothing about a message", async () => {
  expect((await post("[]", { id: "msg_list" })).status).toBe(400);
  expect((await post(event("nobody", "email.opened"), { id: "msg_opened" })).status).toBe(204);
});

test("a report about a delivery that nobody knows is remembered and changes nothing", async () => {
  expect((await post(event("nobody"), { id: "msg_unknown" })).status).toBe(204);
  const [{ count } = { count: 0 }] = await rows<{ count: number }>(
    database(),
    sql`select count(*)::int as count from receipts where report_id = 'msg_unknown' and delivery_id is null`,
  );
  expect(count).toBe(1);
});

test("a complaint suppresses the address at once, for every row that has it", async () => {
  const subscriber = await makeSubscriber();
  const other = await makeSubscriber();
  const { id } = await makeDestination(subscriber.id, { address: "ada@shopper.example" });
  await makeDestination(other.id, { address: "ADA@shopper.example" });
  const delivery = await makeDelivery({
    state: "delivered",
    subscriberId: subscriber.id,
    destinationId: id,
  });
  expect((await post(event(delivery.reference, "email.complained"), { id: "msg_c" })).status).toBe(204);
  expect((await post(event(delivery.reference, "email.complained"), { id: "msg_c" })).status).toBe(204);
  expect(
    await rows(
      database(),
      sql`select state, state_reason from destinations where lower(address) like 'ada@%'`,
    ),
  ).toEqual([
    { state: "suppressed", state_reason: "complained" },
    { state: "suppressed", state_reason: "complained" },
  ]);
  expect(await rows(database(), sql`select channel, scope, reason from suppressions`)).toEqual([
    { channel: "email", scope: "*", reason: "complained" },
  ]);
});

test.each([
  ["email.delivered", {}],
  ["email.bounced", { bounce: { type: "Permanent" } }],
  ["email.complained", {}],
])(
  "a late %s about somebody who was erased is kept, brings nothing of them back and suppresses nobody",
  async (type, extra) => {
    const subscriber = await makeSubscriber();
    const destination = await makeDestination(subscriber.id, { address: "late@shopper.example" });
    const delivery = await makeDelivery({
      ...{ subscriberId: subscriber.id, destinationId: destination.id },
      ...{ state: "delivered" as const, channel: "email" as const },
    });
    const erased = await eraseSubscriber(subscriber.id, { name: "grace", reason: "they asked" });
    expect(erased.ok).toBe(true);
    const state = () =>
      rows(
        database(),
        sql`select d.state, d.reason, x.address, x.state as "destinationState", x.state_reason as "why",
          (select count(*)::int from suppressions) as suppressions
        from deliveries d join destinations x on x.id = d.destination_id where d.id = ${delivery.id}::uuid`,
      );
    const before = await state();
    const body = JSON.stringify({
      type,
      data: {
        ...{ email_id: `e-${type}`, to: ["late@shopper.example"], tags: { delivery_id: delivery.reference } },
        ...extra,
      },
    });
    for (const id of [`msg_late_${type}`, `msg_later_${type}`])
      expect((await post(body, { id })).status).toBe(204);
    expect(await state()).toEqual(before);
    expect(before).toMatchObject([{ destinationState: "retired", why: "erased" }]);
    const kept = await rows<{ line: string }>(
      database(),
      sql`select to_jsonb(r)::text as line from receipts r where delivery_id = ${delivery.id}::uuid`,
    );
    expect(kept).toHaveLength(2);
    expect(JSON.stringify(kept)).not.toContain("late@");
  },
);
