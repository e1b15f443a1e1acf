import "next/dist/server/node-environment-baseline";
import { sql } from "drizzle-orm";
import { AppRouterContext } from "next/dist/shared/lib/app-router-context.shared-runtime";
import { renderToStaticMarkup } from "react-dom/server";
import { beforeEach, describe, expect, test } from "vitest";
import LinkPage, { generateMetadata } from "../../../app/r/[token]/page";
import { database, rows } from "../../../db/connection";
import { MESSAGE_LOCALES, messageLocaleAccepted } from "../../../db/rules/message-locale";
import { linkToken, parcelToken } from "../../../inngest/messages/links";
import { messageWords, textDirection } from "../../../inngest/messages/words";
import { emptyLedger, makeReminder, makeShopper } from "../../support/factories";
import { requestScope } from "../../support/request-scope";
import { follow, record } from "../../support/shipments";

beforeEach(emptyLedger);

const router = { prefetch() {}, push() {}, replace() {}, refresh() {}, back() {}, forward() {} } as never;

/** What a browser without a session gets to see that asks for pages in these languages. */
async function visit(token: string, query: Record<string, string> = {}, accept = "en-US,en;q=0.9") {
  const props = { params: Promise.resolve({ token }), searchParams: Promise.resolve(query) };
  return requestScope(new Headers({ "accept-language": accept })).run(async () => {
    const { title } = await generateMetadata(props);
    const page = await LinkPage(props);
    const html = renderToStaticMarkup(
      <AppRouterContext.Provider value={router}>{page}</AppRouterContext.Provider>,
    );
    return { html, text: `${title} ${html.replace(/<[^>]*>/g, " ")}`.replaceAll("&#x27;", "'") };
  });
}

/** Every sentence of a link's pages in a language, with the channel in its place. */
function sentences(value: unknown, channel: string): string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "function") return [String(value(channel))];
  return Object.values(value as object).flatMap((one) => sentences(one, channel));
}

const ENGLISH = sentences(messageWords("en").page, "email").filter((sentence) => sentence.includes(" "));

function expectIn(
  locale: (typeof MESSAGE_LOCALES)[number],
  { html, text }: { html: string; text: string },
): void {
  expect(html).toContain(`lang="${locale}" dir="${textDirection(locale)}"`);
  if (locale !== "en") for (const sentence of ENGLISH) expect(text).not.toContain(sentence);
}

describe.each(MESSAGE_LOCALES)(
  "a message's link for a reader of %s, whatever the browser speaks",
  (locale) => {
    const words = messageWords(locale).page;
    const channel = words.channelNames.email;

    test("asks, stops with one press, and says so, without signing in", async () => {
      const subscriber = await makeShopper({ channels: ["email"], locale });
      const { reminder } = await makeReminder({ subscriberId: subscriber.id });
      const token = linkToken(reminder.id);
      const asked = await visit(token, { stop: "email" });
      expectIn(locale, asked);
      for (const sentence of [
        words.title,
        words.stopHeading(channel),
        words.stopExplanation(channel),
        words.stopButton(channel),
      ])
        expect(asked.text).toContain(sentence);
      expect(asked.html).toMatch(/<form\b[\s\S]*<button[^>]*type="submit"/);
      const stopped = await visit(token, { said: "stop", channel: "email" });
      expectIn(locale, stopped);
      expect(stopped.text).toContain(words.said.stopped(channel));
      for (const [said, sentence] of Object.entries({ done: words.said.done, late: words.said.late }))
        expect((await visit(token, { said })).text).toContain(sentence);
    });

    test("of a parcel, leaves it or stops them all", async () => {
      const subscriber = await makeShopper({ channels: ["email"], locale });
      await record({});
      await follow(subscriber.id);
      const [parcel] = await rows<{ id: string }>(database(), sql`select id from shipments`);
      const asked = await visit(parcelToken({ shipmentId: parcel?.id ?? "", subscriberId: subscriber.id }));
      expectIn(locale, asked);
      for (const sentence of [
        words.parcel.leave,
        words.parcel.stopButton(channel),
        words.parcel.stopExplanation(channel),
      ])
        expect(asked.text).toContain(sentence);
    });

    test("that is nobody's any more says so in the browser's language", async () => {
      const unknown = await visit("nobody", {}, `${locale}-XX,en;q=0.5`);
      expectIn(locale, unknown);
      expect(unknown.text).toContain(words.unknownTitle);
    });
  },
);

test.each([
  ["fr-CH, de;q=0.9", "fr"],
  ["it, de;q=0.4, fr;q=0.8", "fr"],
  ["de;q=0, fr;q=0.1", "fr"],
  ["it-IT,es", "en"],
  ["*", "en"],
  [null, "en"],
])("of the languages %s the one that messages exist in is %s", (header, locale) => {
  expect(messageLocaleAccepted(header)).toBe(locale);
});
