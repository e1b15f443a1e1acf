import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  FARTHEST_DUE_MS,
  instantOfWallTime,
  resolveDueAt,
  resolveWallTime,
  wallTimeAt,
} from "../../../db/rules/due-time";
import type { Result } from "../../../db/rules/errors";

const NOW_MS = Date.UTC(2026, 10, 1, 12, 0, 0);
const MINUTE_MS = 60_000;
const NEW_YORK = "America/New_York";

function resolved(input: unknown, defaultTimeZone?: string) {
  const result = resolveDueAt(input, { defaultTimeZone, nowMs: NOW_MS });
  if (!result.ok) throw new Error(JSON.stringify(result.problem));
  return result.value;
}

const anyZone = fc.constantFrom(...Intl.supportedValuesOf("timeZone"));
const anyDue = fc.integer({ min: NOW_MS, max: NOW_MS + FARTHEST_DUE_MS });

test("an instant comes back from its wall time, in every zone", () => {
  fc.assert(
    fc.property(anyDue, anyZone, (dueAtMs, timeZone) => {
      const due = resolved(new Date(dueAtMs).toISOString(), timeZone);
      expect(due.dueAtMs).toBe(dueAtMs);
      expect(instantOfWallTime(due.wallTime, timeZone, dueAtMs)).toBe(dueAtMs);
      const again = resolveDueAt({ local: due.wallTime, timeZone }, { nowMs: NOW_MS });
      // Within the first hour a repeated wall time may have its earlier reading behind us: either is a reading of it.
      expect(again.ok && wallTimeAt(again.value.dueAtMs, timeZone)).toBe(due.wallTime);
      expect(again.ok && again.value.dueAtMs <= dueAtMs).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test("a wall time either exists and is shown by the zone's clock at its instant, or is refused by name", () => {
  // Minutes around every hour of the days in which most zones change their clocks.
  const local = fc
    .record({
      day: fc.constantFrom(
        "2027-03-14",
        "2027-03-28",
        "2027-10-03",
        "2027-10-31",
        "2027-11-07",
        "2027-04-04",
      ),
      hour: fc.integer({ min: 0, max: 3 }),
      minute: fc.integer({ min: 0, max: 59 }),
    })
    .map(({ day, hour, minute }) => `${day}T0${hour}:${String(minute).padStart(2, "0")}`);
  const zone = fc.oneof(
    anyZone,
    fc.constantFrom(
      NEW_YORK,
      "Europe/Berlin",
      "Australia/Lord_Howe",
      "Australia/Sydney",
      "Africa/Casablanca",
    ),
  );
  fc.assert(
    fc.property(local, zone, (wallTime, timeZone) => {
      const result = resolveDueAt({ local: wallTime, timeZone }, { nowMs: NOW_MS });
      if (result.ok) {
        expect(wallTimeAt(result.value.dueAtMs, timeZone)).toBe(`${wallTime}:00`);
        return;
      }
      expect(resolveWallTime(wallTime, timeZone).resolution).toBe("gap_shifted");
      const [, before = "", after = ""] = /^a time up to (\S+) or from (\S+)$/.exec(acceptedIn(result)) ?? [];
      const nearest = [before, after].map((near) => resolved({ local: near, timeZone }));
      expect(before < wallTime && wallTime < after).toBe(true);
      expect((nearest[1]?.dueAtMs ?? 0) - (nearest[0]?.dueAtMs ?? 0)).toBe(MINUTE_MS);
    }),
    { numRuns: 500 },
  );
});

test("never throws, and what is accepted is inside the window", () => {
  const nearDate = fc.stringMatching(
    /^20[23]\d-[01]\d-[0-3]\dT[0-2]\d:[0-6]\d(:\d\d(\.\d{1,9})?)?(Z|[+-][0-2]\d:\d\d)?$/,
  );
  const anyInput = fc.oneof(
    fc.anything(),
    nearDate,
    fc.record({
      local: fc.oneof(nearDate, fc.string({ unit: "binary" })),
      timeZone: fc.oneof(anyZone, fc.string({ unit: "binary" })),
    }),
  );
  fc.assert(
    fc.property(anyInput, (input) => {
      const result = resolveDueAt(input, { nowMs: NOW_MS });
      if (!result.ok) return;
      expect(result.value.dueAtMs).toBeGreaterThanOrEqual(NOW_MS);
      expect(result.value.dueAtMs).toBeLessThanOrEqual(NOW_MS + FARTHEST_DUE_MS);
    }),
    { numRuns: 1000 },
  );
});

test("the zone of the process changes nothing", () => {
  const rules = new URL("../../../db/rules/", import.meta.url);
  const program = `
    const { resolveDueAt, formatWhen, instantOfWallTime } = await import(${JSON.stringify(new URL("due-time.ts", rules).href)});
    const { quietUntilMs } = await import(${JSON.stringify(new URL("quiet-hours.ts", rules).href)});
    const nowMs = ${NOW_MS};
    const inputs = ["2026-12-24", "2026-12-24T09:00", "2026-12-24T09:00:00Z", { local: "2026-12-24T09:00", timeZone: "America/Edmonton" }];
    const due = inputs.map((input) => resolveDueAt(input, { defaultTimeZone: "America/Edmonton", nowMs }));
    const quiet = quietUntilMs({ nowMs, timeZone: "Asia/Tokyo", start: "20:00", end: "08:00" });
    const said = formatWhen(nowMs, "Europe/Berlin", "de");
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    console.log(JSON.stringify([zone, { due, quiet, said, again: instantOfWallTime("2027-03-14T02:30:00", "America/New_York") }]));
  `;
  const answers = ["Asia/Tokyo", "America/St_Johns"].map((timeZone) => {
    const child = spawnSync(process.execPath, ["--import", "tsx", "--input-type=module", "-e", program], {
      cwd: fileURLToPath(new URL("../../../", import.meta.url)),
      env: { ...process.env, TZ: timeZone },
      encoding: "utf8",
    });
    const [zone, answer] = JSON.parse(child.stdout) as [string, { due: Result<{ dueAtMs: number }>[] }];
    expect(zone).toBe(timeZone);
    return answer;
  });
  expect(answers[0]).toEqual(answers[1]);
  const instants = answers[0]?.due.map((result) =>
    result.ok ? new Date(result.value.dueAtMs).toISOString() : 422,
  );
  expect(instants).toEqual([422, 422, "2026-12-24T09:00:00.000Z", "2026-12-24T16:00:00.000Z"]);
});

function acceptedIn(result: Result<unknown>): string {
  if (result.ok || result.problem.code !== "invalid_input") throw new Error("expected invalid_input");
  return result.problem.fields[0]?.accepted ?? "";
}
