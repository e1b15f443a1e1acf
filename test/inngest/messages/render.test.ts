import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { emailContent, pushContent, smsContent } from "../../../db/rules/message-content";
import { byteLength } from "../../../db/rules/push-payload";
import { countSmsSegments } from "../../../db/rules/sms-segments";
import { reminderPush, reminderSms } from "../../../inngest/messages/reminder-text";
import {
  type ReminderInput,
  renderPhoneCode,
  renderReminder,
  renderSignInCode,
} from "../../../inngest/messages/render";

const REMINDER: ReminderInput = {
  title: "Pick up parcel",
  note: "Bring the card.\nCounter 3",
  url: "https://shop.example/p/1?a=1&b=2",
  whenText: "Thu, 24 December 2026, 9:00 AM CET",
  manageUrl: "https://punctual.example/r/1",
  locale: "en-GB",
};
const texts = (more: Partial<Parameters<typeof reminderSms>[0]> = {}) => ({
  title: REMINDER.title,
  note: "",
  whenText: "24 Dec, 9:00",
  url: REMINDER.url,
  manageUrl: REMINDER.manageUrl,
  ...more,
});

describe("a reminder by email", () => {
  test("says what, when, and where to go, in both parts", async () => {
    const { email } = await renderReminder(REMINDER);
    expect(emailContent.parse(email)).toEqual(email);
    expect(email.subject).toBe("Pick up parcel");
    for (const part of [email.html, email.text]) {
      for (const said of ["Pick up parcel", "Thu, 24 December 2026, 9:00 AM CET", "Counter 3"])
        expect(part).toContain(said);
      expect(part).toContain("https://punctual.example/r/1");
    }
    expect(email.html).toContain('href="https://shop.example/p/1?a=1&amp;b=2"');
    expect(email.text).toContain("https://shop.example/p/1?a=1&b=2");
  });

  test("escapes markup in title, note and time", async () => {
    const attack = '<img src=x onerror=alert(1)>"</h1>&';
    const { email } = await renderReminder({ ...REMINDER, title: attack, note: attack, whenText: attack });
    expect(email.html).not.toContain("<img");
    expect(email.html).toContain("&lt;img src=x onerror=alert(1)&gt;&quot;&lt;/h1&gt;&amp;");
    expect(email.subject).toBe(attack);
    expect(email.text).toContain(attack);
  });

  test("collapses line breaks in the subject and shortens it between characters", async () => {
    const subject = async (title: string) => (await renderReminder({ ...REMINDER, title })).email.subject;
    expect(await subject("Sale\r\nBcc: b@example.com")).toBe("Sale Bcc: b@example.com");
    expect(await subject("Sale\u2028now\u0000")).toBe("Sale now");
    expect(await subject("👨‍👩‍👧".repeat(300))).toBe(`${"👨‍👩‍👧".repeat(149)}…`);
  });

  test.each(["javascript:alert(1)", "data:text/html,x", "not a link", ""])(
    "has no link for %j",
    async (url) => {
      const { email, sms, push } = await renderReminder({ ...REMINDER, url });
      expect(email.html).not.toContain("Open link");
      expect(email.html).not.toContain("javascript:");
      expect(sms.text).not.toContain("http");
      expect(push.url).toBe(REMINDER.manageUrl);
    },
  );

  test("loads nothing from elsewhere and stands dark mode", async () => {
    const { email } = await renderReminder(REMINDER);
    expect(email.html).not.toMatch(/<(img|script|iframe|link|object)\b/i);
    expect(email.html).not.toMatch(/url\(|@import|@font-face/i);
    expect(email.html).toContain('content="light dark"');
    expect(email.html).toContain("prefers-color-scheme: dark");
    // A mailbox cuts messages over 102 KB off.
    expect(byteLength(email.html)).toBeLessThan(20_000);
  });

  test("is the same bytes each time it is rendered", async () => {
    expect(await renderReminder(REMINDER)).toEqual(await renderReminder(REMINDER));
  });

  test.each([
    ["de-AT", "Erinnerung", "de"],
    ["fr", "Rappel", "fr"],
    ["pt-BR", "Reminder", "en"],
    [undefined, "Reminder", "en"],
  ])("speaks %s", async (locale, word, language) => {
    const { email } = await renderReminder({ ...REMINDER, locale });
    expect(email.html).toContain(word);
    expect(email.html).toContain(`lang="${language}"`);
  });
});

describe("a reminder by SMS", () => {
  test("is one segment where nothing is long, plain punctuation instead of typographic", () => {
    const sms = reminderSms(texts({ title: "It’s time – “now”", whenText: "24 Dec, 9:00\u202fAM" }));
    expect(sms).toEqual({ text: `It's time - "now" (24 Dec, 9:00 AM)\n${REMINDER.url}`, segments: 1 });
    expect(smsContent.parse(sms)).toEqual(sms);
  });

  test("shortens note, then title, to two segments and keeps the link whole", () => {
    const long = reminderSms(texts({ note: "word ".repeat(200) }));
    expect(long.text).toMatch(/^Pick up parcel \(24 Dec, 9:00\)\nword .*\.\.\.\nhttps:/);
    expect(long.segments).toBe(2);
    const title = reminderSms(texts({ title: "x".repeat(2000), note: "gone" }));
    expect(title.text.endsWith(`\n${REMINDER.url}`)).toBe(true);
    expect(title.text).not.toContain("gone");
    expect(title).toMatchObject({ segments: 2 });
    expect(title.text.length).toBeLessThanOrEqual(320);
    expect(reminderSms(texts({ title: "😀".repeat(1000) })).segments).toBe(2);
  });

  test("gives a long link more room, and an endless one the reminder's page", () => {
    const url = `https://shop.example/${"p".repeat(400)}`;
    expect(reminderSms(texts({ url }))).toMatchObject({ segments: 3, text: expect.stringContaining(url) });
    const endless = reminderSms(texts({ url: `https://shop.example/${"p".repeat(1900)}` }));
    expect(endless.text).toBe(`Pick up parcel (24 Dec, 9:00)\n${REMINDER.manageUrl}`);
  });

  test("whatever is written: at most four segments, counted right, no half characters, a whole link or none", () => {
    const text = fc.string({ unit: "grapheme", maxLength: 500 });
    fc.assert(
      fc.property(text, text, fc.webUrl({ size: "large" }), (title, note, url) => {
        const sms = reminderSms(texts({ title: `t${title}`, note, url }));
        expect(sms.segments).toBe(countSmsSegments(sms.text).segments);
        expect(sms.segments).toBeGreaterThanOrEqual(1);
        expect(sms.segments).toBeLessThanOrEqual(4);
        expect(/\p{Cs}/u.test(sms.text)).toBe(false);
        const last = sms.text.split("\n").at(-1) ?? "";
        expect(last === url || last === REMINDER.manageUrl || !last.startsWith("http")).toBe(true);
      }),
    );
  });
});

describe("a reminder by push", () => {
  test("shows title, time and note, and opens the link", () => {
    const push = reminderPush(texts({ note: "Counter 3" }));
    expect(push).toEqual({ title: "Pick up parcel", body: "24 Dec, 9:00\nCounter 3", url: REMINDER.url });
    expect(pushContent.parse(push)).toEqual(push);
    expect(reminderPush(texts({ url: null })).url).toBe(REMINDER.manageUrl);
  });

  test.each([
    ["euros", "€".repeat(1500), "€".repeat(1500)],
    ["emoji", "😀".repeat(1100), "👨‍👩‍👧".repeat(1100)],
  ])("fits the smallest bridge with any number of %s", (_, title, note) => {
    const push = reminderPush(texts({ title, note }));
    expect(byteLength(JSON.stringify({ ...push, tag: "r".repeat(32) }))).toBeLessThanOrEqual(2744);
    expect(push.url).toBe(REMINDER.url);
    expect(push.title.length).toBeGreaterThan(10);
  });

  test("with a very long link keeps the link", () => {
    const url = `https://shop.example/${"p".repeat(3000)}`;
    expect(reminderPush(texts({ url })).url).toBe(url);
  });
});

describe("codes", () => {
  test("a sign-in code stands in subject, text and page", async () => {
    const { email } = await renderSignInCode({ code: "048213", minutes: 10 });
    expect(email.subject).toBe("048213 is your sign-in code");
    expect(email.text).toContain("048213");
    expect(email.text).toContain("valid for 10 minutes");
    expect(email.html).toContain(">048213<");
    expect((await renderSignInCode({ code: "1", minutes: 1, locale: "de" })).email.text).toContain(
      "1 Minute.",
    );
  });

  test.each(["en", "de", "fr"])("a phone code is one segment in %s and begins with the code", (locale) => {
    const { sms } = renderPhoneCode({ code: "048213", minutes: 10, locale });
    expect(sms.text).toMatch(/^048213 /);
    expect(sms).toEqual({ text: sms.text, segments: 1 });
    expect(countSmsSegments(sms.text)).toMatchObject({ encoding: "gsm7", segments: 1 });
  });
});
