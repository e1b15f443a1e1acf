import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { database, rows, transact } from "../../../db/connection";
import { suppress } from "../../../db/suppressions";
import { emptyLedger, makeDestination, makeReminder, makeSubscriber } from "../../support/factories";
import { ops } from "../../support/ops-command";

beforeEach(emptyLedger);

const WHY = ["--reason", "they wrote to us", "--as", "grace"];
const PHONE = "+12025550123";
const EMAIL = "ada@shopper.example";

const stop = (channel: "email" | "sms", address: string) =>
  transact((tx) =>
    suppress(tx, { channel, address, scope: "*", reason: channel === "sms" ? "opted_out" : "complained" }),
  );

const stateOf = async (id: string) =>
  (await rows<{ state: string }>(database(), sql`select state from destinations where id = ${id}::uuid`))[0]
    ?.state;

describe("an address that must not be written to", () => {
  test.each([
    ["sms", PHONE, [PHONE, "+1 (202) 555-0123", "0012025550123"]],
    ["email", EMAIL, [EMAIL, " ADA@Shopper.Example "]],
  ] as const)(
    "by %s is found however it is written, lifted with who and why, and is written to again",
    async (channel, address, spellings) => {
      const subscriber = await makeSubscriber();
      const destination = await makeDestination(subscriber.id, { channel, address });
      expect((await ops("suppressed", channel, address)).lines).toEqual([
        "This address was never suppressed.",
      ]);
      await stop(channel, address);
      for (const spelling of spellings) {
        const found = await ops("suppressed", channel, spelling);
        expect(found, spelling).toMatchObject({ code: 0, lines: [expect.stringContaining("stands")] });
      }
      expect(await stateOf(destination.id)).toBe("suppressed");
      const last = spellings.at(-1) ?? "";
      expect(await ops("lift", channel, last, ...WHY)).toMatchObject({
        lines: ["Lifted: the address is written to again."],
      });
      expect(await stateOf(destination.id)).toBe("active");
      expect((await ops("suppressed", channel, address)).lines[0]).toContain("by grace");
      const [action] = await rows<{ line: string }>(
        database(),
        sql`select to_jsonb(a)::text as line from operator_actions a where action = 'lift suppression'`,
      );
      expect(action?.line).toContain("they wrote to us");
      expect(action?.line).not.toContain(address);
    },
  );

  test.each([
    ["push", "x"],
    ["sms", "911"],
    ["email", "nobody"],
  ])("what is no address of a channel is told as such: %s %s", async (channel, address) => {
    expect(await ops("suppressed", channel, address)).toMatchObject({ code: 2 });
    expect(await ops("lift", channel, address, ...WHY)).toMatchObject({ code: 2 });
  });
});

describe("a person, by our id, the shop's, a proved address", () => {
  test("is exported, then erased with a reason, and is nobody after that", async () => {
    const subscriber = await makeSubscriber({ externalId: "customer-7" });
    await makeDestination(subscriber.id, { address: EMAIL });
    await makeReminder({ subscriberId: subscriber.id });
    for (const who of [subscriber.id, "customer-7", EMAIL]) {
      const { code, lines } = await ops("export", who, "--json");
      expect(code).toBe(0);
      expect(JSON.parse(lines[0] ?? "")).toMatchObject({
        person: { external_id: "customer-7" },
        reminders: [{ title: "Water the plants" }],
      });
    }
    expect(await ops("erase", "customer-7")).toMatchObject({ code: 2 });
    expect((await ops("export", "customer-7")).code).toBe(0);
    const erased = await ops("erase", "customer-7", ...WHY, "--json");
    expect(JSON.parse(erased.lines[0] ?? "")).toMatchObject({
      ...{ ok: true, subscriberId: subscriber.id, reminders: 1, addresses: 1 },
    });
    for (const verb of ["export", "erase"])
      for (const who of ["customer-7", EMAIL])
        expect((await ops(verb, who, ...(verb === "erase" ? WHY : []))).code, `${verb} ${who}`).not.toBe(0);
  });
});
