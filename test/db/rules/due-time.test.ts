import { describe, expect, test } from "vitest";
import {
  CLOCK_SKEW_TOLERANCE_MS,
  checkDueAtForm,
  dueSecond,
  FARTHEST_DUE_MS,
  instantOfWallTime,
  resolveDueAt,
  resolveWallTime,
} from "../../../db/rules/due-time";
import { printable, type Result } from "../../../db/rules/errors";

const NOW_MS = Date.UTC(2026, 10, 1, 12, 0, 0);
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const NEW_YORK = "America/New_York";

function resolved(input: unknown, defaultTimeZone?: string, nowMs = NOW_MS) {
  const result = resolveDueAt(input, { defaultTimeZone, nowMs });
  if (!result.ok) throw new Error(JSON.stringify(result.problem));
  return { ...result.value, dueAt: new Date(result.value.dueAtMs).toISOString() };
}

function refusal(result: Result<unknown>) {
  if (result.ok || result.problem.code !== "invalid_input") throw new Error("expected invalid_input");
  return result.problem.fields[0];
}

function refused(input: unknown, nowMs = NOW_MS) {
  return refusal(resolveDueAt(input, { defaultTimeZone: "America/Edmonton", nowMs }));
}

describe("a due time with an offset", () => {
  test("is that instant, and its wall time is the subscriber's", () => {
    expect(resolved("2026-12-24T09:00:00+01:00", "Europe/Berlin")).toEqual({
      dueAtMs: Date.UTC(2026, 11, 24, 8),
      dueAt: "2026-12-24T08:00:00.000Z",
      wallTime: "2026-12-24T09:00:00",
      timeZone: "Europe/Berlin",
      resolution: "exact",
    });
    expect(resolved("2026-12-24T09:00:00Z", "America/Edmonton")).toMatchObject({
      dueAt: "2026-12-24T09:00:00.000Z",
      wallTime: "2026-12-24T02:00:00",
    });
  });

  test("without a subscriber's zone is told in UTC", () => {
    expect(resolved("2026-12-24T09:00+05:45")).toMatchObject({
      wallTime: "2026-12-24T03:15:00",
      timeZone: "UTC",
    });
  });

  test("keeps milliseconds, and finer fractions are never early", () => {
    expect(resolved("2026-12-24T09:00:00.250Z")).toMatchObject({
      dueAt: "2026-12-24T09:00:00.250Z",
      wallTime: "2026-12-24T09:00:00.250",
    });
    expect(resolved("2026-12-24T09:00:00.000000001Z").dueAt).toBe("2026-12-24T09:00:00.001Z");
  });

  test("names one of the two readings of a repeated hour exactly, and it stays that one", () => {
    const early = resolved("2027-11-07T01:30:00-04:00", NEW_YORK);
    const late = resolved("2027-11-07T01:30:00-05:00", NEW_YORK);
    expect(early).toMatchObject({ dueAt: "2027-11-07T05:30:00.000Z", resolution: "exact" });
    expect(late).toMatchObject({ dueAt: "2027-11-07T06:30:00.000Z", resolution: "exact" });
    expect(early.wallTime).toBe(late.wallTime);
    expect(instantOfWallTime(late.wallTime, NEW_YORK, late.dueAtMs)).toBe(late.dueAtMs);
    expect(instantOfWallTime(late.wallTime, NEW_YORK)).toBe(early.dueAtMs);
  });

  test("with a subscriber's zone that does not exist is refused, never read as UTC", () => {
    const result = resolveDueAt("2026-12-24T09:00:00Z", { defaultTimeZone: "Mars/Base", nowMs: NOW_MS });
    expect(refusal(result)?.field).toBe("timeZone");
  });
});

describe("a wall time with its zone", () => {
  test("is read in that zone", () => {
    const input = { local: "2026-12-24T09:00", timeZone: "Europe/Berlin" };
    expect(resolved(input, "Asia/Tokyo")).toMatchObject({
      dueAt: "2026-12-24T08:00:00.000Z",
      wallTime: "2026-12-24T09:00:00",
      timeZone: "Europe/Berlin",
      resolution: "exact",
    });
    expect(resolved({ local: "2026-12-01T09:00", timeZone: "asia/kathmandu" })).toMatchObject({
      dueAt: "2026-12-01T03:15:00.000Z",
      timeZone: "Asia/Kathmandu",
    });
    expect(resolved({ local: "2026-12-01T09:00:30", timeZone: "Asia/Katmandu" }).dueAt).toBe(
      "2026-12-01T03:15:30.000Z",
    );
  });

  test.each([
    ["2027-03-14T02:30", NEW_YORK, "2027-03-14T02:00", "2027-03-14T01:59", "2027-03-14T03:00"],
    ["2027-03-14T02:00", NEW_YORK, "2027-03-14T02:00", "2027-03-14T01:59", "2027-03-14T03:00"],
    ["2027-03-14T02:59:59", NEW_YORK, "2027-03-14T02:00", "2027-03-14T01:59", "2027-03-14T03:00"],
    ["2027-10-03T02:15", "Australia/Lord_Howe", "2027-10-03T02:00", "2027-10-03T01:59", "2027-10-03T02:30"],
  ])(
    "%s does not exist in %s: refused, naming the gap and the nearest times",
    (local, timeZone, start, before, after) => {
      const error = refused({ local, timeZone });
      expect(error).toMatchObject({
        field: "dueAt.local",
        accepted: `a time up to ${before} or from ${after}`,
      });
      expect(error?.message).toContain(`from ${start} to ${after}`);
      expect(resolved({ local: before, timeZone }).resolution).toBe("exact");
      expect(resolved({ local: after, timeZone }).resolution).toBe("exact");
    },
  );

  test("that happens twice is the earlier one, and says so", () => {
    expect(resolved({ local: "2027-11-07T01:30", timeZone: NEW_YORK })).toMatchObject({
      dueAt: "2027-11-07T05:30:00.000Z",
      resolution: "fold_earlier",
    });
    expect(resolved({ local: "2027-11-07T02:00", timeZone: NEW_YORK }).resolution).toBe("exact");
  });

  test("that happens twice is the later one once the earlier has passed", () => {
    const nowMs = Date.UTC(2027, 10, 7, 6, 10);
    expect(resolved({ local: "2027-11-07T01:30", timeZone: NEW_YORK }, undefined, nowMs)).toMatchObject({
      dueAt: "2027-11-07T06:30:00.000Z",
      resolution: "exact",
    });
  });
});

describe("what is refused on the field", () => {
  test.each(["2026-12-24", "2026-12-24T09:00", "2026-12-24T09:00:00", "2026-12-24 09:00"])(
    "%s: offset or zone required",
    (input) => {
      const error = refused(input);
      expect(error?.field).toBe("dueAt");
      expect(error?.message).toContain("offset or zone required");
    },
  );

  const notAnInstant: unknown[] = [
    "2027-02-29T10:00:00Z",
    "2026-02-30T10:00:00Z",
    "2026-12-10T25:00:00Z",
    "2026-12-10T24:00:00Z",
    "2026-12-10T10:60:00Z",
    "2026-12-10T10:00:60Z",
    "2026-13-10T10:00:00Z",
    "2026-12-00T10:00:00Z",
    "0000-01-01T00:00:00Z",
    "+275760-09-13T00:00:00Z",
    "9999-12-31T23:59:59Z",
    "9999-12-31T23:59:59.9999999-23:59",
    "2038-01-19T03:14:08Z",
    "2026-12-24T09:00:00+24:00",
    "2026-12-24T09:00:00+0100",
    "2026-12-24T09:00:00+01:00[Europe/Berlin]",
    "2026-12-24T09:00:00Z\n",
    " 2026-12-24T09:00:00Z",
    "20261224T090000Z",
    "tomorrow at nine",
    "",
    1_798_102_800_000,
    1_798_102_800,
    Number.NaN,
    null,
    undefined,
    true,
    [],
    ["2026-12-24T09:00:00Z"],
  ];
  for (const input of notAnInstant) {
    test(`${printable(input)}`, () => expect(refused(input)?.field).toBe("dueAt"));
  }

  const notAWallTime: [unknown, string][] = [
    [{}, "dueAt.timeZone"],
    [{ local: "2026-12-24T09:00" }, "dueAt.timeZone"],
    [{ local: "2026-12-24T09:00", timeZone: "Mars/Base" }, "dueAt.timeZone"],
    [{ local: "2026-12-24T09:00", timeZone: "+05:45" }, "dueAt.timeZone"],
    [{ timeZone: "Europe/Berlin" }, "dueAt.local"],
    [{ local: "2026-12-24", timeZone: "Europe/Berlin" }, "dueAt.local"],
    [{ local: "2026-12-24T09:00Z", timeZone: "Europe/Berlin" }, "dueAt.local"],
    [{ local: "2027-02-29T09:00", timeZone: "Europe/Berlin" }, "dueAt.local"],
    [{ local: 5, timeZone: "Europe/Berlin" }, "dueAt.local"],
    [{ local: "2026-12-24T09:00", timeZone: "Europe/Berlin", offset: 1 }, "dueAt.offset"],
  ];
  for (const [input, field] of notAWallTime) {
    test(`${printable(input)} names ${field}`, () => expect(refused(input)?.field).toBe(field));
  }
});

describe("the window", () => {
  const at = (offsetMs: number) => new Date(NOW_MS + offsetMs).toISOString();

  test.each([0, -1000, -CLOCK_SKEW_TOLERANCE_MS])("%d ms from now is due now", (offsetMs) => {
    expect(resolved(at(offsetMs), "Europe/Berlin")).toMatchObject({
      dueAtMs: NOW_MS,
      wallTime: "2026-11-01T13:00:00",
    });
  });

  test.each([-CLOCK_SKEW_TOLERANCE_MS - 1, -3 * DAY_MS, FARTHEST_DUE_MS + 1])(
    "%d ms from now is refused, naming the window",
    (offsetMs) => {
      expect(refused(at(offsetMs))).toMatchObject({
        field: "dueAt",
        accepted: "a time from now (2026-11-01T12:00:00Z) to 2031-11-05T12:00:00Z",
      });
    },
  );

  test.each([24 * DAY_MS, 2_147_483_647, 2_147_483_648, 30 * DAY_MS, 60 * DAY_MS, FARTHEST_DUE_MS])(
    "%d ms from now is that instant",
    (offsetMs) => {
      expect(resolved(at(offsetMs)).dueAtMs).toBe(NOW_MS + offsetMs);
    },
  );

  test("2038 is an ordinary year once it is near", () => {
    const nowMs = Date.UTC(2037, 5, 1);
    expect(resolved("2038-01-19T03:14:08Z", "UTC", nowMs).dueAtMs).toBe(2_147_483_648_000);
  });

  test("the form alone is checked without a clock", () => {
    expect(checkDueAtForm("dueAt", "1999-01-01T00:00:00Z")).toEqual({
      ok: true,
      value: "1999-01-01T00:00:00Z",
    });
    expect(checkDueAtForm("dueAt", "1999-01-01").ok).toBe(false);
    expect(refusal(checkDueAtForm("due", { local: "2027-03-14T02:30", timeZone: NEW_YORK }))?.field).toBe(
      "due.local",
    );
  });
});

describe("a stored wall time", () => {
  test.each([
    ["2027-03-14T02:30:00", NEW_YORK, "2027-03-14T07:30:00.000Z", "gap_shifted"],
    ["2027-10-03T02:15:00", "Australia/Lord_Howe", "2027-10-02T15:45:00.000Z", "gap_shifted"],
    ["2027-11-07T01:30:00", NEW_YORK, "2027-11-07T05:30:00.000Z", "fold_earlier"],
    ["2026-12-24T09:00:00", "Europe/Berlin", "2026-12-24T08:00:00.000Z", "exact"],
  ])("%s in %s is %s (%s)", (wallTime, timeZone, instant, resolution) => {
    const { dueAtMs, resolution: how } = resolveWallTime(wallTime, timeZone);
    expect([new Date(dueAtMs).toISOString(), how]).toEqual([instant, resolution]);
    expect(instantOfWallTime(wallTime, timeZone)).toBe(dueAtMs);
  });

  test("a kept instant that the wall time no longer shows is derived anew", () => {
    const movedMs = Date.UTC(2026, 11, 24, 9);
    expect(instantOfWallTime("2026-12-24T09:00:00", "Europe/Berlin", movedMs)).toBe(
      Date.UTC(2026, 11, 24, 8),
    );
  });

  test("the due second is the second it falls in", () => {
    expect(dueSecond(1_000)).toBe(1);
    expect(dueSecond(1_999)).toBe(1);
  });
});
