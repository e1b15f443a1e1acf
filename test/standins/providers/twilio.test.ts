import fc from "fast-check";
import { validateRequest } from "twilio/lib/webhooks/webhooks";
import { describe, expect, test } from "vitest";
import { countSegments } from "../../../standins/providers/sms-text";
import { ACCOUNT, type AppCall, basic, sms, stage } from "./stage";

const LIST = `http://standins.test/twilio/2010-04-01/Accounts/${ACCOUNT}/Messages.json`;
const CALLBACK = "http://app.test/api/webhooks/twilio?d=delivery-1&a=1";

const fields = ({ body }: AppCall) => Object.fromEntries(new URLSearchParams(body));

describe("a send to Twilio", () => {
  test("is answered as queued, with numbers as text and RFC 2822 dates", async () => {
    const { providers, send, finish } = stage();
    const response = await finish(send(sms({ StatusCallback: CALLBACK, Body: "x".repeat(161) })));
    expect(response.status).toBe(201);
    const body = await response.json();
    expect(body).toMatchObject({
      account_sid: ACCOUNT,
      status: "queued",
      to: "+15551234567",
      from: "+15005550006",
      num_segments: "2",
      error_code: null,
      price: null,
      direction: "outbound-api",
      date_created: "Mon, 30 Nov 2026 09:00:00 +0000",
    });
    expect(body.sid).toMatch(/^SM[0-9a-f]{32}$/);
    expect(providers.ledger.calls("twilio")).toMatchObject([
      { key: "delivery-1", destination: "+15551234567", accepted: true, providerMessageId: body.sid },
    ]);
    expect(providers.messages({ channel: "sms" })).toMatchObject([
      { to: "+15551234567", text: "x".repeat(161) },
    ]);
  });

  const refused: [string, Record<string, string>, number, number][] = [
    ["without To", { To: "" }, 400, 21604],
    ["without From", { From: "" }, 400, 21603],
    ["without Body", { Body: "" }, 400, 21602],
    ["with an endless Body", { Body: "x".repeat(1601) }, 400, 21617],
    ["to no number", { To: "12" }, 400, 21211],
    ["with a callback that is no URL", { StatusCallback: "nowhere" }, 400, 21609],
    ["with no validity", { ValidityPeriod: "0" }, 400, 21624],
    ["with too long a validity", { ValidityPeriod: "36001" }, 400, 21624],
    ["from magic 0001", { From: "+15005550001" }, 400, 21212],
    ["from magic 0007", { From: "+15005550007" }, 400, 21606],
    ["from magic 0008", { From: "+15005550008" }, 400, 21611],
    ["to magic 0001", { To: "+15005550001" }, 400, 21211],
    ["to magic 0002", { To: "+15005550002" }, 400, 21612],
    ["to magic 0003", { To: "+15005550003" }, 400, 21408],
    ["to magic 0004", { To: "+15005550004" }, 400, 21610],
    ["to magic 0009", { To: "+15005550009" }, 400, 21614],
  ];
  test.each(refused)("%s is refused with its code", async (_, change, status, code) => {
    const { providers, send, finish } = stage();
    const response = await finish(send(sms(change)));
    expect(response.status).toBe(status);
    const moreInfo = `https://www.twilio.com/docs/errors/${code}`;
    expect(await response.json()).toMatchObject({ code, status, more_info: moreInfo });
    expect(providers.messages()).toEqual([]);
  });

  test("needs the account's own login", async () => {
    const { send, finish } = stage({ twilioAuthToken: "right" });
    const anonymous = new Request(LIST);
    const stranger = new Request(LIST, { headers: basic("right", "AC0000000000000000000000000000000f") });
    for (const request of [sms({}, "wrong"), sms({}, ""), anonymous, stranger]) {
      const response = await finish(send(request));
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({ code: 20003 });
    }
    expect((await finish(send(sms({}, "right")))).status).toBe(201);
    const apiKey = new Request(LIST, { headers: basic("its secret", "SK1") });
    expect((await finish(send(apiKey))).status).toBe(200);
  });
});

describe("status callbacks", () => {
  test("tell queued, sent and delivered to the URL given, signed so that the SDK verifies them", async () => {
    const { send, finish, pass, told } = stage();
    await finish(send(sms({ StatusCallback: CALLBACK })));
    await pass(5000);
    expect(told.map((call) => fields(call).MessageStatus)).toEqual(["queued", "sent", "delivered"]);
    for (const call of told) {
      const signature = call.headers.get("x-twilio-signature") ?? "";
      expect(call.url).toBe(CALLBACK);
      expect(validateRequest("token", signature, CALLBACK, fields(call))).toBe(true);
      expect(validateRequest("other", signature, CALLBACK, fields(call))).toBe(false);
    }
  });

  test("tell a late failure that a fault orders, and the list shows it", async () => {
    const { providers, send, finish, pass, told } = stage();
    providers.control("twilio", { fault: "callback:30003", faultCount: 1 });
    const { sid } = await (await finish(send(sms({ StatusCallback: CALLBACK })))).json();
    await pass(5000);
    expect(fields(told[2] as AppCall)).toMatchObject({ MessageStatus: "undelivered", ErrorCode: "30003" });
    const one = new Request(LIST.replace(".json", `/${sid}.json`), { headers: basic() });
    expect(await (await finish(send(one))).json()).toMatchObject({
      status: "undelivered",
      error_code: 30003,
    });
    expect(providers.settings("twilio").fault).toBeNull();
    expect(providers.ledger.calls("twilio")).toMatchObject([{ accepted: true, fault: "callback:30003" }]);
  });
});

describe("a reader's reply", () => {
  test("STOP closes the pair of sender and number until START, and the app is told", async () => {
    const { providers, send, finish, pass, told } = stage();
    await finish(send(sms()));
    expect(providers.replyToSms({ from: "+15551234567", body: " stop " })).toEqual({ optedOut: true });
    const refused = await finish(send(sms()));
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ code: 21610 });
    expect((await finish(send(sms({ From: "+15005550010" })))).status).toBe(201);
    expect((await finish(send(sms({ To: "+15551234568" })))).status).toBe(201);
    providers.replyToSms({ from: "+15551234567", to: "+15005550006", body: "START" });
    expect((await finish(send(sms()))).status).toBe(201);
    await pass(0);
    expect(told.map(fields)).toMatchObject([
      { From: "+15551234567", To: "+15005550006", Body: " stop ", OptOutType: "STOP" },
      { OptOutType: "START" },
    ]);
    const [stop] = told as [AppCall];
    const signature = stop.headers.get("x-twilio-signature") ?? "";
    expect(validateRequest("token", signature, "http://app.test/api/webhooks/twilio", fields(stop))).toBe(
      true,
    );
  });
});

describe("the message list", () => {
  test("finds by number, newest first, page by page", async () => {
    const { send, finish } = stage();
    for (const body of ["one", "two", "three"]) await finish(send(sms({ Body: body })));
    await finish(send(sms({ To: "+15551234568", Body: "other" })));
    let uri: string | null = `${LIST}?To=%2B15551234567&From=%2B15005550006&PageSize=2`;
    const bodies: string[][] = [];
    while (uri !== null) {
      const page = await (await finish(send(new Request(uri, { headers: basic() })))).json();
      bodies.push(page.messages.map(({ body }: { body: string }) => body));
      uri = page.next_page_uri === null ? null : `http://standins.test/twilio${page.next_page_uri}`;
    }
    expect(bodies).toEqual([["three", "two"], ["one"]]);
  });

  test("filters by DateSent only what has been sent", async () => {
    const { send, finish, pass } = stage();
    const count = async (query: string) => {
      const page = await finish(send(new Request(`${LIST}?${query}`, { headers: basic() })));
      return (await page.json()).messages.length;
    };
    await finish(send(sms()));
    expect(await count("DateSent=2026-11-30")).toBe(0);
    await pass(5000);
    expect(await count("DateSent=2026-11-30")).toBe(1);
    expect(await count("DateSent%3E=2026-11-30T09:00:00Z")).toBe(1);
    expect(await count("DateSent%3E=2026-12-01")).toBe(0);
    expect(await count("DateSent%3C=2026-11-29")).toBe(0);
  });
});

describe("segments", () => {
  test.each([
    ["one curly apostrophe", `${"a".repeat(99)}’`, 2],
    ["an extension character beyond 159", `${"a".repeat(159)}€`, 2],
    ["69 letters and an emoji", `${"a".repeat(69)}😀`, 2],
    ["brackets before an emoji", `${"a".repeat(10)}${"]".repeat(74)}😀`, 2],
    ["160 plain letters", "a".repeat(160), 1],
  ])("%s count as billed", (_, text, segments) => {
    expect(countSegments(text)).toBe(segments);
  });

  test("never shrink when a text grows by a letter of its own alphabet", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 400 }), (text) => {
        expect(countSegments(`${text}a`)).toBeGreaterThanOrEqual(countSegments(text));
      }),
    );
  });
});
