import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CronError, nextTickMs, parseCron } from "../../../standins/engine/cron";

const at = (iso: string) => Date.parse(iso);
const next = (cron: string, after: string) => {
  const tick = nextTickMs(parseCron(cron), at(after));
  return tick === null ? null : new Date(tick).toISOString().replace(":00.000Z", "Z");
};

describe("cron", () => {
  test("finds the next tick of fields, lists, ranges, steps and names", () => {
    expect(next("* * * * *", "2031-06-02T08:00:00Z")).toBe("2031-06-02T08:01Z");
    expect(next("* * * * *", "2031-06-02T08:00:59Z")).toBe("2031-06-02T08:01Z");
    expect(next("*/15 9-17 * * MON-FRI", "2031-06-06T17:45:00Z")).toBe("2031-06-09T09:00Z");
    expect(next("5,35 0 1 JAN *", "2031-06-02T08:00:00Z")).toBe("2032-01-01T00:05Z");
    expect(next("0 0 29 2 *", "2031-06-02T08:00:00Z")).toBe("2032-02-29T00:00Z");
    expect(next("0 0 30 2 *", "2031-06-02T08:00:00Z")).toBeNull();
    expect(next("@hourly", "2031-06-02T08:00:00Z")).toBe("2031-06-02T09:00Z");
    expect(next("0 12 * * 7", "2031-06-02T08:00:00Z")).toBe("2031-06-08T12:00Z");
  });

  test("either of two restricted day fields is enough", () => {
    expect(next("0 0 13 * FRI", "2031-06-02T08:00:00Z")).toBe("2031-06-06T00:00Z");
    expect(next("0 0 13 * FRI", "2031-06-06T08:00:00Z")).toBe("2031-06-13T00:00Z");
  });

  test("keeps to the wall clock of its zone: an hour that is skipped has no tick, one that repeats has two", () => {
    expect(next("TZ=Europe/Paris 0 12 * * *", "2031-01-10T00:00:00Z")).toBe("2031-01-10T11:00Z");
    expect(next("TZ=Europe/Paris 0 12 * * *", "2031-07-10T00:00:00Z")).toBe("2031-07-10T10:00Z");
    // 30 March 2031, 02:00 becomes 03:00.
    expect(next("TZ=Europe/Paris 30 2 * * *", "2031-03-29T12:00:00Z")).toBe("2031-03-31T00:30Z");
    // 26 October 2031, 03:00 becomes 02:00.
    expect(next("TZ=Europe/Paris 30 2 * * *", "2031-10-25T12:00:00Z")).toBe("2031-10-26T00:30Z");
    expect(next("TZ=Europe/Paris 30 2 * * *", "2031-10-26T00:30:00Z")).toBe("2031-10-26T01:30Z");
    // Midnight itself is skipped here, on 7 September 2031.
    expect(next("TZ=America/Santiago 0 0 * * *", "2031-09-06T12:00:00Z")).toBe("2031-09-08T03:00Z");
  });

  test("refuses what it cannot read and names field and range", () => {
    expect(() => parseCron("* * * *")).toThrow(/expected 5 fields .* got 4/);
    expect(() => parseCron("61 * * * *")).toThrow(/minute "61" .* 0–59/);
    expect(() => parseCron("* * * FOO *")).toThrow(/month "FOO"/);
    expect(() => parseCron("*/0 * * * *")).toThrow(CronError);
    expect(() => parseCron("TZ=Mars/Base * * * * *")).toThrow(/Mars\/Base is not a time zone/);
  });

  test("agrees with looking at every minute", () => {
    const zones = fc.constantFrom(
      "UTC",
      "Europe/Paris",
      "America/New_York",
      "Australia/Lord_Howe",
      "Asia/Kolkata",
    );
    const minute = fc.constantFrom("*", "0", "*/20", "7,37");
    const hour = fc.constantFrom("*", "0", "2", "1-3", "*/6");
    const day = fc.constantFrom("*", "1", "15", "28-31");
    const weekday = fc.constantFrom("*", "SUN", "1-5");
    const starts = fc.integer({ min: at("2031-01-01T00:00:00Z"), max: at("2031-12-01T00:00:00Z") });
    fc.assert(
      fc.property(
        zones,
        minute,
        hour,
        day,
        weekday,
        starts,
        (zone, minutes, hours, days, weekdays, startMs) => {
          const cron = parseCron(`TZ=${zone} ${minutes} ${hours} ${days} * ${weekdays}`);
          const tick = nextTickMs(cron, startMs) ?? Number.POSITIVE_INFINITY;
          const format = new Intl.DateTimeFormat("en-US", {
            timeZone: zone,
            hourCycle: "h23",
            day: "numeric",
            weekday: "short",
            hour: "numeric",
            minute: "numeric",
          });
          const names = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
          for (
            let ms = (Math.floor(startMs / 60_000) + 1) * 60_000, looked = 0;
            looked < 1500;
            ms += 60_000, looked += 1
          ) {
            const part = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, value]));
            const dayOf = cron.days.has(Number(part.day));
            const weekdayOf = cron.weekdays.has(names.indexOf(String(part.weekday)));
            const onDay = days !== "*" && weekdays !== "*" ? dayOf || weekdayOf : dayOf && weekdayOf;
            const fires = onDay && cron.hours.has(Number(part.hour)) && cron.minutes.has(Number(part.minute));
            if (fires || ms >= tick) return fires && ms === tick;
          }
          return tick > startMs;
        },
      ),
      { numRuns: 60 },
    );
  });
});
