import { describe, expect, test } from "vitest";
import { type HoldFacts, holdAt } from "../../../db/rules/holds";
import { smsZones } from "../../../db/rules/sms-hours";

const FREE: HoldFacts = {
  channel: "sms",
  lane: "standard",
  timeZone: "Europe/Berlin",
  quietFrom: null,
  quietUntil: null,
  throughQuiet: false,
  smsFrom: null,
  smsUntil: null,
  address: "+491512345678",
  awayUntilMs: null,
};
const at = (iso: string) => Date.parse(iso);
const NIGHT = at("2026-03-02T23:30:00+01:00");

describe("a delivery is held", () => {
  test("by quiet hours until they end, unless its owner wants it all the same", () => {
    const quiet = { ...FREE, quietFrom: "22:00", quietUntil: "07:00" };
    expect(holdAt(quiet, NIGHT)).toEqual({ untilMs: at("2026-03-03T07:00:00+01:00"), reason: "quiet_hours" });
    expect(holdAt({ ...quiet, throughQuiet: true }, NIGHT)).toBeNull();
    expect(holdAt({ ...quiet, lane: "urgent" }, NIGHT)).toBeNull();
  });

  test("by one thing after the other, and told by the last of them", () => {
    const held = { ...FREE, quietFrom: "22:00", quietUntil: "07:00", smsFrom: "09:00", smsUntil: "20:00" };
    expect(holdAt(held, NIGHT)).toEqual({ untilMs: at("2026-03-03T09:00:00+01:00"), reason: "sms_hours" });
    expect(holdAt({ ...held, channel: "email" }, NIGHT)).toMatchObject({ reason: "quiet_hours" });
    const away = { ...held, awayUntilMs: at("2026-03-10T23:00:00+01:00") };
    expect(holdAt(away, NIGHT)?.untilMs).toBe(at("2026-03-11T09:00:00+01:00"));
    expect(holdAt({ ...FREE, awayUntilMs: NIGHT + 1 }, NIGHT)).toEqual({
      untilMs: NIGHT + 1,
      reason: "paused",
    });
  });

  test("by nothing in the day, and for ever by nothing", () => {
    const noon = at("2026-03-02T12:00:00+01:00");
    const held = { ...FREE, quietFrom: "22:00", quietUntil: "07:00", smsFrom: "08:00", smsUntil: "21:00" };
    expect(holdAt(held, noon)).toBeNull();
    // Quiet all day but for an hour in which no text may come.
    const never = { ...FREE, quietFrom: "09:00", quietUntil: "08:00", smsFrom: "10:00", smsUntil: "11:00" };
    expect(holdAt(never, noon)).not.toBeNull();
  });
});

describe("text messages", () => {
  test("to a country of one zone keep to its clock as well", () => {
    expect(smsZones("+33612345678", "America/New_York")).toEqual(["America/New_York", "Europe/Paris"]);
    const held = { ...FREE, smsFrom: "08:00", smsUntil: "21:00", address: "+33612345678" };
    const evening = at("2026-03-02T17:00:00-05:00");
    expect(holdAt({ ...held, timeZone: "America/New_York" }, evening)).toEqual({
      untilMs: at("2026-03-03T08:00:00-05:00"),
      reason: "sms_hours",
    });
  });

  test("to a country of many zones keep to the recipient's clock alone", () => {
    expect(smsZones("+12025550123", "Europe/Berlin")).toEqual(["Europe/Berlin"]);
    expect(smsZones("not a number", "Europe/Berlin")).toEqual(["Europe/Berlin"]);
  });
});
