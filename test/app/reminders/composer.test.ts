import { describe, expect, test } from "vitest";
import { prefillOf, prefillPath } from "../../../app/_reminders/prefill";
import { readReminderForm } from "../../../app/_reminders/read-form";
import { fieldsOfRepeat, NO_REPEAT, readRepeat } from "../../../app/_reminders/repeat-input";
import { monthOf } from "../../../app/(signed-in)/reminders/calendar/month";
import { ENGLISH } from "../../../db/rules/languages";

const ZONE = "America/New_York";

describe("a link that fills in the form", () => {
  test("says title, link, note and time; what does not fit is left out", () => {
    expect(prefillOf({ title: "Beans", url: "https://shop.example/p/1", when: "in 2 days" }, ZONE)).toEqual({
      title: "Beans",
      url: "https://shop.example/p/1",
      typed: "in 2 days",
      choice: "typed",
    });
    expect(prefillOf({ when: "2026-12-24T09:00:00Z" }, ZONE)).toMatchObject({
      date: "2026-12-24",
      time: "04:00",
    });
    expect(prefillOf({ when: "2026-12-24T09:00" }, ZONE)).toMatchObject({ time: "09:00" });
    const odd = { title: ["a", "b"], url: "javascript:alert(1)", note: "x".repeat(5000), repeat: "often" };
    expect(prefillOf(odd, ZONE)).toEqual({ repeat: NO_REPEAT });
  });

  test("survives signing in, with nothing else that its address held", () => {
    const query = { title: "A & B", when: "in 2 days", evil: "https://elsewhere.example", note: "" };
    expect(prefillPath(query)).toBe("/reminders/new?title=A+%26+B&when=in+2+days");
    expect(prefillPath({})).toBe("/reminders/new");
  });
});

test("“in 10 minutes” is counted from the sending, however long the page was open and whatever it shows", () => {
  const form = new FormData();
  const fields = { title: "Tea", choice: "typed", typed: "in 10 minutes", timeZone: ZONE, channels: "email" };
  // What the page showed when it was opened, an hour before.
  for (const [name, value] of Object.entries({ ...fields, date: "2026-11-30", time: "08:10" }))
    form.set(name, value);
  const read = readReminderForm(form, Date.parse("2026-11-30T14:00:00Z"), ENGLISH);
  expect(read.ok && read.value.dueAt).toMatchObject({ local: "2026-11-30T09:10:00", timeZone: ZONE });
});

describe("the fields of a repetition", () => {
  test.each([
    "FREQ=DAILY",
    "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR",
    "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR;COUNT=5",
    "FREQ=MONTHLY;UNTIL=20271231",
    "FREQ=YEARLY",
    null,
  ])("show %s and read it again", (rule) => {
    expect(readRepeat(fieldsOfRepeat(rule), ENGLISH.words.repeat)).toEqual({ ok: true, recurrence: rule });
  });

  test.each([
    [{ repeat: "DAILY" as const, ends: "until" as const }, "Choose the last day"],
    [{ repeat: "DAILY" as const, ends: "count" as const, count: "0" }, "Say how often"],
    [{ repeat: "WEEKLY" as const, interval: "99" }, "Choose a smaller number"],
  ])("with %j say what is missing", (change, words) => {
    const read = readRepeat({ ...NO_REPEAT, ...change }, ENGLISH.words.repeat);
    expect(read.ok ? "" : read.error).toContain(words);
  });
});

describe("a month", () => {
  const NOW_MS = Date.parse("2026-11-30T14:00:00Z");

  test("is whole weeks from Monday on, its days those of the zone", () => {
    const month = monthOf("2026-12", NOW_MS, ZONE);
    expect(month.weeks.map((week) => week[0]?.date)).toEqual([
      "2026-11-30",
      "2026-12-07",
      "2026-12-14",
      "2026-12-21",
      "2026-12-28",
    ]);
    expect(new Date(month.fromMs).toISOString()).toBe("2026-11-30T05:00:00.000Z");
    expect([month.previous, month.next]).toEqual(["2026-11", "2027-01"]);
  });

  test.each(["2026-13", "soon", undefined, ["2026-12"], "9999-01"])("named %j is that of today", (asked) => {
    expect(monthOf(asked, NOW_MS, ZONE).name).toBe("2026-11");
  });
});
