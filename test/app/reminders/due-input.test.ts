import { expect, test } from "vitest";
import { readWhen, type WhenInput, wallTimeOfFields } from "../../../app/_reminders/due-input";
import { ENGLISH } from "../../../db/rules/languages";

const NOW = Date.parse("2026-11-30T11:00:00Z");

function read(input: Partial<WhenInput>) {
  return readWhen(
    { choice: "custom", date: "", time: "", timeZone: "Europe/Berlin", ...input },
    NOW,
    ENGLISH,
  );
}

test("a date and a time are read in their zone", () => {
  expect(read({ date: "2026-12-24", time: "09:00" })).toEqual({
    ok: true,
    local: "2026-12-24T09:00",
    timeZone: "Europe/Berlin",
    atMs: Date.parse("2026-12-24T08:00:00Z"),
  });
});

test("a preset goes before the fields, another time does not", () => {
  const fields = { date: "2026-12-24", time: "09:00", timeZone: "UTC" };
  expect(wallTimeOfFields({ choice: "2026-12-01T08:00", ...fields })).toBe("2026-12-01T08:00");
  expect(wallTimeOfFields({ choice: "custom", ...fields })).toBe("2026-12-24T09:00");
  expect(wallTimeOfFields({ choice: "anything", ...fields })).toBeNull();
});

test.each([
  [{}, "Choose a date and a time."],
  [{ date: "2026-12-24" }, "Choose a date and a time."],
  [{ date: "2027-02-29", time: "10:00" }, "This date does not exist."],
  [{ date: "2026-12-24", time: "09:00", timeZone: "Mars/Base" }, "Choose a time zone from the list."],
  [{ date: "2036-12-24", time: "09:00" }, "Choose a time within the next five years."],
])("%o is refused in words", (input, error) => {
  expect(read(input)).toEqual({ ok: false, error });
});

test("what has passed is told with what time it is", () => {
  const read1 = read({ date: "2026-11-30", time: "11:55" });
  expect(read1.ok ? "" : read1.error).toBe(
    "This has passed already; it is Mon 30 Nov 2026, 12:00 (Europe/Berlin, GMT+1) now. Choose a later time.",
  );
  // Two minutes of a slow clock are forgiven.
  expect(read({ date: "2026-11-30", time: "11:58" }).ok).toBe(true);
});

test("a time that the clocks skip names the hour after it", () => {
  const skipped = read({ date: "2027-03-14", time: "02:30", timeZone: "America/New_York" });
  expect(skipped.ok ? "" : skipped.error).toMatch(/skip it\. The hour after it is Sun 14 Mar 2027, 03:30/);
});
