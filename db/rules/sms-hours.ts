import { parsePhoneNumberFromString } from "libphonenumber-js/max";
import type { QuietHours } from "./quiet-hours";

/**
 * Hours in which a text message may come when nobody chose others: what the US Telephone Consumer Protection Act allows
 * at the called party's place (47 CFR 64.1200(c)(1)), and what people call decent elsewhere.
 */
export const USUAL_SMS_HOURS = { from: "08:00", until: "21:00" } as const;

/**
 * The zones whose clocks must both allow a text message: the recipient's own, and that of the number's country where the
 * country has one zone only. A country of many zones does not tell where its number is, so the recipient's zone decides.
 */
export function smsZones(phone: string, timeZone: string): string[] {
  const country = parsePhoneNumberFromString(phone)?.country;
  const zones = country === undefined ? [] : zonesOf(country);
  const [only] = zones;
  return zones.length === 1 && only !== undefined && only !== timeZone ? [timeZone, only] : [timeZone];
}

const known = new Map<string, string[]>();

function zonesOf(country: string): string[] {
  const remembered = known.get(country);
  if (remembered !== undefined) return remembered;
  const locale = new Intl.Locale(`und-${country}`) as Intl.Locale & {
    timeZones?: string[];
    getTimeZones?: () => string[];
  };
  const zones = locale.getTimeZones?.() ?? locale.timeZones ?? [];
  known.set(country, zones);
  return zones;
}

/** The quiet hours that allowed hours leave: the rest of the day. */
export function quietAround(hours: { from: string; until: string }): QuietHours {
  return { start: hours.until, end: hours.from };
}
