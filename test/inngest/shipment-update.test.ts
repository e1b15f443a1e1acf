import { afterEach, expect, test } from "vitest";
import { resetConfig } from "../../db/config";
import type { EmailContent, PushContent, SmsContent } from "../../db/rules/message-content";
import type { MessageLocale } from "../../db/rules/message-locale";
import type { Channel } from "../../db/rules/outcome";
import { countSmsSegments } from "../../db/rules/sms-segments";
import { forReader, parcelToken, readParcelToken } from "../../inngest/messages/links";
import { renderUpdate } from "../../inngest/messages/shipment-payloads";

const SHIPMENT = "3f0b0a52-6f7e-4f0a-9d5c-0d9b0f0a1b2c";
const ADA = "11111111-1111-4111-8111-111111111111";
const BOB = "22222222-2222-4222-8222-222222222222";
const keyOf = (reader: string) => `shipment:${SHIPMENT}:3:${reader}:email`;
const secret = process.env.AUTH_SECRET;

afterEach(() => {
  process.env.AUTH_SECRET = secret;
  resetConfig();
});

async function contentOf(channel: Channel, language: MessageLocale = "en"): Promise<unknown> {
  const { content } = await renderUpdate({
    eventId: "44444444-4444-4444-8444-444444444444",
    shipmentId: SHIPMENT,
    version: 3,
    channel,
    language,
    status: "available_for_pickup",
    order: "4711",
    carrier: "DHL",
    trackingNumber: "JD0146000098765",
    url: null,
    expectedOn: "2026-12-03",
    location: "Packstation 145",
    detail: "<b>Bitte</b> Ausweis mitbringen",
    pickUpCode: "4 711 23",
  } as Parameters<typeof renderUpdate>[0]);
  return content;
}

const mailTo = async (reader: string) =>
  forReader((await contentOf("email")) as EmailContent, keyOf(reader)) as EmailContent;

test("each reader of a shared email has links of their own, in both parts and for one click", async () => {
  const [ada, bob] = [await mailTo(ADA), await mailTo(BOB)];
  for (const [mail, reader] of [
    [ada, ADA],
    [bob, BOB],
  ] as const) {
    const token = /\/api\/unsubscribe\/([\w.-]+)\?channel=email$/.exec(mail.unsubscribeUrl ?? "")?.[1] ?? "";
    expect(readParcelToken(token)).toEqual({ shipmentId: SHIPMENT, subscriberId: reader });
    for (const part of [mail.html, mail.text]) expect(part).toContain(`/r/${token}`);
    expect(JSON.stringify(mail)).not.toMatch(/[\ue000-\uf8ff]|linkKey/);
  }
  expect(ada.html).not.toBe(bob.html);
});

test("a secret that is changed between two attempts changes no byte of it", async () => {
  const content = (await contentOf("email")) as EmailContent;
  const first = forReader(content, keyOf(ADA));
  process.env.AUTH_SECRET = `${secret}-and-another-one-that-is-long-enough`;
  resetConfig();
  expect(forReader(content, keyOf(ADA))).toEqual(first);
  expect(parcelToken({ shipmentId: SHIPMENT, subscriberId: ADA })).not.toContain(
    /\/r\/([\w.-]+)/.exec((first as EmailContent).text)?.[1],
  );
});

test("the email says headline, order and code in both parts, with markup of a carrier escaped", async () => {
  const { subject, html, text } = await mailTo(ADA);
  expect(subject).toBe("Your parcel is ready to be picked up: Order 4711 · DHL · JD0146000098765");
  for (const part of [html, text]) expect(part).toMatch(/ready to be picked up[\s\S]*4711[\s\S]*4 711 23/);
  expect(text).toContain("Expected: Thursday 3 December\n");
  expect(html).not.toContain("<b>Bitte");
  expect(text).toContain("Packstation 145: <b>Bitte</b>");
});

test.each(["en", "de", "fr", "ar"] as const)(
  "the text message takes at most two segments in %s, code and link whole",
  async (language) => {
    const { text, segments } = (await contentOf("sms", language)) as SmsContent;
    expect(segments).toBe(countSmsSegments(text).segments);
    expect(segments).toBeLessThanOrEqual(2);
    expect(text).toContain("4 711 23");
    expect(text).toContain(`/shipments/${SHIPMENT}`);
  },
);

test("the notification shows the code first and opens the parcel", async () => {
  const { title, body, url } = (await contentOf("push")) as PushContent;
  expect([title, body.split("\n")[0]]).toEqual([
    "Your parcel is ready to be picked up",
    "Pick-up code: 4 711 23",
  ]);
  expect(url).toContain(`/shipments/${SHIPMENT}`);
});
