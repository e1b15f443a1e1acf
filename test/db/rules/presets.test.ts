import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { resolveDueAt } from "../../../db/rules/due-time";
import { presetsAt, tomorrowMorning } from "../../../db/rules/presets";

const at = (iso: string) => Date.parse(iso);

describe("presets", () => {
  test("are the times that people mean, in order, in the zone that was asked for", () => {
    // A Monday noon in Berlin.
    expect(presetsAt(at("2026-11-30T11:00:00Z"), "Europe/Berlin")).toEqual([
      { name: "afternoon", local: "2026-11-30T13:00" },
      { name: "evening", local: "2026-11-30T19:00" },
      { name: "tomorrow", local: "2026-12-01T08:00" },
      { name: "weekend", local: "2026-12-05T10:00" },
      { name: "nextWeek", local: "2026-12-07T08:00" },
    ]);
  });

  test("what is past, or nearly, is left out", () => {
    const names = presetsAt(at("2026-11-30T17:58:00Z"), "Europe/Berlin").map((preset) => preset.name);
    expect(names).not.toContain("afternoon");
    expect(names).not.toContain("evening");
  });

  test("two that fall on one time are offered once", () => {
    // A Sunday: tomorrow morning is next week's Monday morning.
    const presets = presetsAt(at("2026-11-29T11:00:00Z"), "Europe/Berlin");
    expect(presets.filter((preset) => preset.local === "2026-11-30T08:00")).toHaveLength(1);
  });

  test("property: each can be set as it is offered, and lies ahead", () => {
    const zones = [
      "Europe/Berlin",
      "America/New_York",
      "Australia/Lord_Howe",
      "Asia/Kathmandu",
      "America/Santiago",
    ];
    const years = fc.integer({ min: at("2026-01-01T00:00:00Z"), max: at("2028-01-01T00:00:00Z") });
    fc.assert(
      fc.property(years, fc.constantFrom(...zones), (nowMs, timeZone) => {
        for (const { local } of presetsAt(nowMs, timeZone)) {
          const due = resolveDueAt({ local, timeZone }, { nowMs });
          expect(due.ok && due.value.dueAtMs > nowMs).toBe(true);
        }
      }),
    );
  });
});

test("tomorrow morning is tomorrow's date in the zone, not here", () => {
  expect(tomorrowMorning(at("2026-11-30T23:30:00Z"), "Europe/Berlin")).toBe("2026-12-02T08:00");
  expect(tomorrowMorning(at("2026-11-30T23:30:00Z"), "America/New_York")).toBe("2026-12-01T08:00");
});
