import { beforeAll, describe, expect, test } from "vitest";
import { call } from "./calls";
import { countRows, createReminder, openShop, putSubscriber, query } from "./shop";

let key: string;
let turn = 0;

beforeAll(async () => {
  key = await openShop();
});

/** A name that no other test uses. */
function somebody(): string {
  turn += 1;
  return `somebody-${turn}`;
}

interface Destination {
  channel: string;
  address: string;
  state: string;
  verified: boolean;
}

const TZ = { timeZone: "Europe/Berlin" };

async function put(externalId: string, body: object): Promise<Destination[]> {
  const answer = await putSubscriber(key, externalId, { ...TZ, ...body });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.destinations;
}

/** Every row that a subscriber ever had, oldest first. */
function history(externalId: string): Promise<{ address: string; state: string; verified: boolean }[]> {
  return query(`select d.address, d.state, d.verified_at is not null as verified from destinations d
    join subscribers s on s.id = d.subscriber_id where s.external_id = '${externalId}' order by d.created_at, d.ctid`);
}

function device(path: string, fill = "x") {
  return {
    endpoint: `https://fcm.googleapis.com/fcm/send/${path}`,
    expirationTime: null,
    keys: { p256dh: `BA${fill.repeat(85)}`, auth: fill.repeat(22) },
  };
}

describe("a subscriber", () => {
  test("is created, read back, and left alone by an equal PUT", async () => {
    const name = "cust:42@shop/100%";
    const body = { ...TZ, email: "ada@shopper.example", locale: "de-at", verified: true };
    const created = await putSubscriber(key, name, body);
    expect(created.body).toMatchObject({
      externalId: name,
      timeZone: "Europe/Berlin",
      locale: "de-AT",
      destinations: [{ channel: "email", address: "ada@shopper.example", state: "active", verified: true }],
    });
    const before = await countRows();
    expect((await putSubscriber(key, name, body)).body).toEqual(created.body);
    expect((await call("GET", `/api/v1/subscribers/${encodeURIComponent(name)}`, { key })).body).toEqual(
      created.body,
    );
    expect(await countRows()).toEqual(before);
  });

  test("keeps what a PUT leaves out, and loses what it sets to null", async () => {
    const name = somebody();
    await put(name, { email: "a@shopper.example", phone: "+12025550123", locale: "de", verified: true });
    const kept = await putSubscriber(key, name, { timeZone: "Asia/Kathmandu" });
    expect(kept.body).toMatchObject({ timeZone: "Asia/Kathmandu", locale: "de" });
    expect(kept.body.destinations).toHaveLength(2);
    const [left, ...more] = await put(name, { phone: null });
    expect([left?.channel, more]).toEqual(["email", []]);
  });

  test.each([
    ["europe/paris", "Europe/Paris"],
    ["Europe/Kyiv", "Europe/Kyiv"],
    ["Europe/Kiev", "Europe/Kiev"],
    ["Asia/Katmandu", "Asia/Katmandu"],
    ["US/Pacific", "US/Pacific"],
    ["EST", "EST"],
  ])("may live in the zone %s", async (given, stored) => {
    expect((await putSubscriber(key, somebody(), { timeZone: given })).body.timeZone).toBe(stored);
  });
});

describe("one phone", () => {
  test("is one row, however it is spelled", async () => {
    const name = somebody();
    const spellings = [
      "+1 (202) 555-0123",
      "0012025550123",
      "＋１２０２５５５０１２３",
      "+1٢٠٢٥٥٥٠١٢٣",
      "\u202a+1 202-555-0123\u202c",
    ];
    for (const phone of spellings) {
      const [destination, ...more] = await put(name, { phone, verified: true });
      expect([destination?.address, more]).toEqual(["+12025550123", []]);
    }
    expect(await put(name, { phone: "(202) 555-0123", country: "US" })).toMatchObject([{ verified: true }]);
    expect(await history(name)).toHaveLength(1);
  });

  test("is read in the country that is given, and kept as typed where nobody can know", async () => {
    const numbers: [object, string][] = [
      [{ phone: "030 1234 5678", country: "de" }, "+493012345678"],
      [{ phone: "+5215555550100" }, "+525555550100"],
      [{ phone: "+5491155550100" }, "+5491155550100"],
      [{ phone: "+541155550100" }, "+541155550100"],
    ];
    for (const [body, stored] of numbers) {
      expect(await put(somebody(), body)).toMatchObject([{ address: stored }]);
    }
  });
});

describe("one mailbox", () => {
  test("is one row, whatever its case, and keeps its verification", async () => {
    const name = somebody();
    await put(name, { email: "A@Example.com", verified: { email: true } });
    for (const email of ["a@example.com", " A@EXAMPLE.COM ", "a@Example.Com"]) {
      expect(await put(name, { email })).toMatchObject([{ address: "A@example.com", verified: true }]);
    }
    expect(await history(name)).toHaveLength(1);
  });

  test("with a tag is another mailbox, and a foreign domain is stored in ASCII", async () => {
    expect(await put(somebody(), { email: "a+b@example.com" })).toMatchObject([
      { address: "a+b@example.com" },
    ]);
    expect(await put(somebody(), { email: "user@münchen.example" })).toMatchObject([
      { address: "user@xn--mnchen-3ya.example" },
    ]);
  });
});

describe("an address that changes", () => {
  test("retires the old row and begins unproved, also when the first one comes back", async () => {
    const name = somebody();
    await put(name, { email: "old@shopper.example", verified: true });
    expect(await put(name, { email: "new@shopper.example" })).toMatchObject([
      { address: "new@shopper.example", verified: false },
    ]);
    expect(await put(name, { email: "old@shopper.example" })).toMatchObject([
      { address: "old@shopper.example", verified: false },
    ]);
    expect(await history(name)).toEqual([
      { address: "old@shopper.example", state: "retired", verified: true },
      { address: "new@shopper.example", state: "retired", verified: false },
      { address: "old@shopper.example", state: "active", verified: false },
    ]);
  });

  test("is unreachable until it is verified: a reminder on it is refused", async () => {
    const name = somebody();
    await put(name, { email: "old@shopper.example", verified: true });
    await put(name, { email: "new@shopper.example" });
    const refused = await createReminder(key, { subscriber: name });
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ field: "channels" }] } });
    await put(name, { email: "new@shopper.example", verified: ["email"] });
    expect((await createReminder(key, { subscriber: name })).status).toBe(201);
  });
});

describe("verified", () => {
  test.each([
    [true, [true, true]],
    [false, [false, false]],
    [undefined, [false, false]],
    [["email"], [true, false]],
    [["phone"], [false, true]],
    [[], [false, false]],
    [{ email: true, phone: true }, [true, true]],
    [{ email: true }, [true, false]],
    [{ email: false, phone: true }, [false, true]],
    [{}, [false, false]],
  ])("%j vouches for [email, phone] = %j", async (verified, expected) => {
    const stored = await put(somebody(), { email: "v@shopper.example", phone: "+12025550123", verified });
    expect(stored.map((destination) => destination.verified)).toEqual(expected);
  });

  test("is only ever added, and only to addresses of the same body", async () => {
    const name = somebody();
    await put(name, { email: "v@shopper.example" });
    expect(await put(name, { verified: true })).toMatchObject([{ verified: false }]);
    expect(await put(name, { email: "v@shopper.example", verified: true })).toMatchObject([
      { verified: true },
    ]);
    expect(await put(name, { email: "v@shopper.example", verified: false })).toMatchObject([
      { verified: true },
    ]);
    const first = await query(
      `select verified_at from destinations where address = 'v@shopper.example' limit 1`,
    );
    expect(first).toHaveLength(1);
  });

  test("does not lift a suppression", async () => {
    const name = somebody();
    await put(name, { email: "gone@shopper.example", verified: true });
    await query("update destinations set state = 'suppressed' where address = 'gone@shopper.example'");
    expect(await put(name, { email: "GONE@shopper.example", verified: true })).toMatchObject([
      { state: "suppressed" },
    ]);
    expect((await createReminder(key, { subscriber: name })).status).toBe(422);
  });
});

describe("a device", () => {
  test("is added once, told by its host only, and renewed by new keys", async () => {
    const name = somebody();
    const first = await putSubscriber(key, name, {
      ...TZ,
      pushSubscriptions: [device("one"), device("one")],
    });
    expect(first.body.destinations).toMatchObject([
      { channel: "push", address: "fcm.googleapis.com", verified: true },
    ]);
    expect(first.text).not.toContain("fcm/send");
    await put(name, { pushSubscriptions: [device("one", "y")] });
    expect((await history(name)).map((row) => row.state)).toEqual(["retired", "active"]);
    expect(await put(name, { pushSubscriptions: [] })).toHaveLength(1);
  });

  test("belongs to whoever brought it last", async () => {
    const [one, other] = [somebody(), somebody()];
    await put(one, { pushSubscriptions: [device("shared")] });
    await put(other, { pushSubscriptions: [device("shared")] });
    expect((await history(one)).map((row) => row.state)).toEqual(["retired"]);
    expect((await history(other)).map((row) => row.state)).toEqual(["active"]);
  });

  test("brought by ten people at once ends with one of them, and nobody meets an error", async () => {
    const names = Array.from({ length: 10 }, somebody);
    const subscriptions = [device("contested-1"), device("contested-2")];
    const answers = await Promise.all(
      names.map((name, index) =>
        putSubscriber(key, name, {
          ...TZ,
          pushSubscriptions: index % 2 === 0 ? subscriptions : subscriptions.toReversed(),
        }),
      ),
    );
    expect(answers.map((answer) => answer.status)).toEqual(Array(10).fill(200));
    const active = await query<{ address: string }>(
      "select address from destinations where address like '%/contested-%' and state = 'active'",
    );
    expect(active).toHaveLength(2);
  });

  test("too many changes nothing at all, the address in the same body included", async () => {
    const name = somebody();
    const twenty = Array.from({ length: 20 }, (_, index) => device(`many-${turn}-${index}`));
    await put(name, { pushSubscriptions: twenty });
    const before = await countRows();
    const body = { ...TZ, email: "late@shopper.example", pushSubscriptions: [device("one-too-many")] };
    const answer = await putSubscriber(key, name, body);
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ field: "pushSubscriptions" }] } });
    expect(await countRows()).toEqual(before);
  });
});
