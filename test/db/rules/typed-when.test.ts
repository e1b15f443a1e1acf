import { describe, expect, test } from "vitest";
import { readTypedWhen } from "../../../db/rules/typed-when";

const ZONE = "America/New_York";
/** Monday, 30 November, nine in the morning in New York. */
const NOW_MS = Date.parse("2026-11-30T14:00:00Z");
const read = (text: string) => {
  const typed = readTypedWhen(text, NOW_MS, ZONE);
  return typed.ok ? [typed.local.slice(0, 16), typed.repeat] : "refused";
};

describe("a typed time", () => {
  test.each([
    ["next tue 3pm", "2026-12-08T15:00"],
    ["in 2 days", "2026-12-02T09:00"],
    ["tomorrow", "2026-12-01T09:00"],
    ["Tomorrow 9", "2026-12-01T09:00"],
    ["tomorrow at 18:30", "2026-12-01T18:30"],
    ["friday at 8", "2026-12-04T08:00"],
    ["monday", "2026-12-07T09:00"],
    ["24 dec 9:00", "2026-12-24T09:00"],
    ["dec 24", "2026-12-24T09:00"],
    ["in 20 minutes", "2026-11-30T09:20"],
    ["in an hour", "2026-11-30T10:00"],
    ["15:30", "2026-11-30T15:30"],
    ["at 8", "2026-12-01T08:00"],
    ["  next   week ", "2026-12-07T09:00"],
  ])("“%s” is %s on the clock of the zone", (text, local) => {
    expect(read(text)).toEqual([local, null]);
  });

  test.each([
    ["every weekday at 8", "2026-12-01T08:00", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"],
    ["every day at 8am", "2026-12-01T08:00", "FREQ=DAILY"],
    ["daily at 21:15", "2026-11-30T21:15", "FREQ=DAILY"],
    ["every 2 weeks on friday", "2026-12-04T09:00", "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR"],
    ["every mon and thursday at 7pm", "2026-11-30T19:00", "FREQ=WEEKLY;BYDAY=MO,TH"],
    ["every other day", "2026-12-01T09:00", "FREQ=DAILY;INTERVAL=2"],
    ["monthly at noon", "2026-11-30T12:00", "FREQ=MONTHLY"],
    ["every year", "2026-12-01T09:00", "FREQ=YEARLY"],
    ["every week until 31 dec", "2026-12-01T09:00", "FREQ=WEEKLY;UNTIL=20261231"],
    ["every day at 8 10 times", "2026-12-01T08:00", "FREQ=DAILY;COUNT=10"],
  ])("“%s” repeats from %s on as %s", (text, local, rule) => {
    expect(read(text)).toEqual([local, rule]);
  });

  test.each([
    "24.12. 9 uhr morgens",
    "tomorrow or so",
    "every blue moon",
    "0000-01-01",
    "every 99 weeks on monday",
    "every 2 weeks on monday, 999 times",
    "soonish",
    "",
    "8",
    "tue to thu",
    "x".repeat(200),
  ])("“%s” is refused, not half obeyed", (text) => {
    expect(read(text)).toBe("refused");
  });

  test("in the night of a clock change is counted on the clock", () => {
    const before = Date.parse("2027-03-14T04:00:00Z");
    expect(readTypedWhen("tomorrow 8am", before, ZONE)).toMatchObject({ local: "2027-03-14T08:00:00" });
    expect(readTypedWhen("in 4 hours", before, ZONE)).toMatchObject({ local: "2027-03-14T04:00:00" });
  });
});
