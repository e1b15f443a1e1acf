import { render } from "@react-email/render";
import { createElement } from "react";
import { config } from "../../db/config";
import type { RenderedPayload } from "../../db/payloads";
import type { EmailContent, PushContent, SmsContent } from "../../db/rules/message-content";
import { fitPushPayload } from "../../db/rules/push-payload";
import { dayInWords } from "../../db/rules/shipment-words";
import { oneLine, shortenGraphemes, shortenToFit } from "../../db/rules/shorten";
import { countSmsSegments, toPlainPunctuation } from "../../db/rules/sms-segments";
import type { UpdateToRender } from "../../db/shipments/fan-out-facts";
import { parcelLinkKey, readersLinks } from "./links";
import { fillShell, markOf, shellCache } from "./shell";
import { ShipmentUpdateEmail, type ShipmentUpdateProps } from "./shipment-update";
import { shipmentWords } from "./shipment-words";

/** Mail clients show less, and a header should fit a few lines. */
const SUBJECT_GRAPHEMES_MAX = 150;

/** An update is a headline, a name and a link: two segments hold them, and a burst multiplies every further one. */
const SEGMENTS_MAX = 2;

/** Mozilla's bridge to Android takes 2744 bytes of text; every service takes more. */
const PUSH_BYTES_MAX = 2744;
/** As long as the delivery's reference, which takes its place when the request is made. */
const ANY_TAG = "0".repeat(32);

/**
 * Renders one update for one channel and language, as payloads store it: once per scan, shared by all its followers of
 * that language, and sent as stored by every attempt.
 */
export async function renderUpdate(update: UpdateToRender): Promise<RenderedPayload> {
  const { eventId: sourceId, channel, version, language: variant } = update;
  const content = await contentOf(update);
  const cost = "segments" in content ? content.segments : 1;
  return { sourceId, channel, version, variant, content, cost };
}

function contentOf(update: UpdateToRender): Promise<EmailContent> | SmsContent | PushContent {
  const texts = textsOf(update);
  switch (update.channel) {
    case "email":
      return emailOf(update.shipmentId, texts);
    case "sms":
      return smsOf(texts);
    case "push":
      return pushOf(texts);
  }
}

function textsOf(update: UpdateToRender): ShipmentUpdateProps {
  const words = shipmentWords(update.language);
  const { order, carrier, trackingNumber } = update;
  return {
    language: update.language,
    words,
    headline: words.headline[update.status],
    parcel: [order === null ? null : words.order(order), carrier, trackingNumber]
      .filter((part) => part !== null)
      .join(" · "),
    detail: [update.location, update.detail].filter((part) => part !== null).join(": "),
    pickUpCode: update.pickUpCode ?? "",
    expected: update.expectedOn === null ? "" : dayInWords(update.expectedOn, update.language),
    url: update.url,
    manageUrl: `${config().appUrl}/shipments/${update.shipmentId}`,
    stopUrl: readersLinks().page,
  };
}

const SLOTS = ["parcel", "detail", "pickUpCode", "expected", "url", "manageUrl", "stopUrl"] as const;
const shells = shellCache(SLOTS);

/** The HTML from a shell: an import renders thousands that differ in a few texts (see `reminder-html.ts`). */
async function emailOf(shipmentId: string, texts: ShipmentUpdateProps): Promise<EmailContent> {
  const { headline, language, words } = texts;
  const { unsubscribe } = readersLinks();
  const shape = SLOTS.map((slot) => (texts[slot] === "" || texts[slot] === null ? 0 : 1)).join("");
  const shell = await shells(`${language} ${headline} ${shape}`, () => {
    const marked = Object.fromEntries(
      SLOTS.map((slot) => [
        slot,
        texts[slot] === "" || texts[slot] === null ? texts[slot] : markOf(SLOTS, slot),
      ]),
    );
    return render(createElement(ShipmentUpdateEmail, { ...texts, ...marked }));
  });
  const text = [
    headline,
    ...[texts.parcel].filter((line) => line !== ""),
    ...(texts.pickUpCode === "" ? [] : [`${words.pickUpCode}: ${texts.pickUpCode}`]),
    ...(texts.expected === "" ? [] : [`${words.expected}: ${texts.expected}`]),
    ...(texts.detail === "" ? [] : ["", texts.detail]),
    ...(texts.url === null ? [] : ["", texts.url]),
    "",
    "--",
    words.why,
    `${words.manage}: ${texts.manageUrl}`,
    `${words.stop}: ${texts.stopUrl}`,
  ].join("\n");
  const subject = shortenGraphemes(
    oneLine(texts.parcel === "" ? headline : `${headline}: ${texts.parcel}`),
    SUBJECT_GRAPHEMES_MAX,
  );
  return {
    subject,
    html: fillShell(shell, texts),
    text,
    unsubscribeUrl: unsubscribe,
    linkKey: parcelLinkKey(shipmentId),
  };
}

/** Headline and code always; then the link, and of the parcel's name what still fits. */
function smsOf(texts: ShipmentUpdateProps): SmsContent {
  const plain = (text: string) => toPlainPunctuation(oneLine(text));
  const code = texts.pickUpCode === "" ? "" : `${plain(texts.words.pickUpCode)}: ${plain(texts.pickUpCode)}`;
  const compose = (parcel: string, link: string) =>
    [parcel === "" ? plain(texts.headline) : `${plain(texts.headline)} (${parcel})`, code, link]
      .filter((line) => line !== "")
      .join("\n");
  const fits = (text: string) => countSmsSegments(text).segments <= SEGMENTS_MAX;
  const link = [texts.url, texts.manageUrl].find((url) => url !== null && fits(compose("", url))) ?? "";
  const parcel = shortenToFit(plain(texts.parcel), (short) => fits(compose(short, link)), "...");
  const text = compose(parcel, link);
  return { text, segments: countSmsSegments(text).segments };
}

/** The notification: the headline, then code and parcel; a click opens the parcel's page. */
function pushOf(texts: ShipmentUpdateProps): PushContent {
  const code = texts.pickUpCode === "" ? "" : `${texts.words.pickUpCode}: ${texts.pickUpCode}`;
  const body = [code, texts.parcel, texts.detail].filter((line) => line !== "").join("\n");
  const whole = { title: texts.headline, body, url: texts.manageUrl };
  const fitted = fitPushPayload({ ...whole, tag: ANY_TAG }, PUSH_BYTES_MAX);
  if (fitted === null) return whole;
  const { title, body: short } = JSON.parse(fitted) as PushContent;
  return { title, body: short, url: whole.url };
}
