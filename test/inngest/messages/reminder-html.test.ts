import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ReminderEmailProps } from "../../../inngest/messages/reminder";
import { reminderHtml, renderReminderHtml } from "../../../inngest/messages/reminder-html";
import { messageWords } from "../../../inngest/messages/words";

const text = (maxLength: number) =>
  fc.oneof(
    fc.string({ unit: "binary", maxLength }),
    fc.string({ unit: fc.constantFrom(..."ab&<>\"'\n\r\t\u{e001}\u{e003}é🎄{}$`"), maxLength }),
  );

const anyProps: fc.Arbitrary<ReminderEmailProps> = fc
  .record({
    language: fc.constantFrom("en", "de", "fr", "ar"),
    title: text(60),
    note: fc.oneof(fc.constant(""), text(200)),
    whenText: text(160),
    url: fc.oneof(fc.constant(null), fc.webUrl({ withQueryParameters: true, withFragments: true })),
    manageUrl: fc.webUrl({ withQueryParameters: true }),
    stopUrl: fc.oneof(fc.constant(null), fc.webUrl({ withQueryParameters: true })),
  })
  .map((props) => ({ ...props, words: messageWords(props.language) }));

describe("the remembered shell of a reminder's HTML", () => {
  test("gives exactly what the components render, whatever the texts are", async () => {
    await fc.assert(
      fc.asyncProperty(anyProps, async (props) => {
        expect(await reminderHtml(props)).toBe(await renderReminderHtml(props));
        // The second time from what was remembered.
        expect(await reminderHtml(props)).toBe(await renderReminderHtml(props));
      }),
      { numRuns: 150 },
    );
  });

  test("keeps the texts of one reminder out of the next", async () => {
    const props = {
      language: "en",
      words: messageWords("en"),
      whenText: "Monday at 9",
      manageUrl: "https://a.example/1",
      stopUrl: null,
    };
    const first = await reminderHtml({ ...props, title: "Water the plants", note: "twice", url: null });
    const second = await reminderHtml({ ...props, title: "Call the dentist", note: "today", url: null });
    expect(first).toContain("Water the plants");
    expect(second).not.toMatch(/Water|twice/);
  });
});
