type VapidName = "VAPID_PUBLIC_KEY" | "VAPID_PRIVATE_KEY" | "VAPID_SUBJECT";

/** The settings that are looked at together. */
type Settings = { [name in VapidName]?: string | undefined } & { APP_URL: string };

/** Settings that point the app at something that is not the provider. */
const STANDIN_NAMES = ["RESEND_BASE_URL", "TWILIO_BASE_URL", "WEB_PUSH_EXTRA_HOSTS"] as const;

/** What is wrong with settings that are right one by one. */
export function checkTogether(data: Pick<Settings, VapidName>): string[] {
  const vapid = [data.VAPID_PUBLIC_KEY, data.VAPID_PRIVATE_KEY];
  const given = vapid.filter((value) => value !== undefined).length;
  if (given === 1) return ["VAPID_PUBLIC_KEY and VAPID_PRIVATE_KEY belong together: set both, or neither"];
  if (given === 2 && data.VAPID_SUBJECT === undefined) {
    return ["VAPID_SUBJECT is not set; push services want to know whom to write to"];
  }
  return [];
}

/** What production does not take, unless this is a rehearsal on purpose (`PUNCTUAL_ALLOW_STANDINS`). */
export function checkProduction(
  source: Record<string, string | undefined>,
  data: Pick<Settings, "APP_URL">,
): string[] {
  const rehearsal = /^(1|true|yes)$/i.test(source.PUNCTUAL_ALLOW_STANDINS ?? "");
  if (source.NODE_ENV !== "production" || rehearsal) return [];
  const problems = STANDIN_NAMES.filter((name) => source[name]?.trim()).map(
    (name) => `${name} is set, which leads to a stand-in; production takes none`,
  );
  if (!data.APP_URL.startsWith("https://"))
    problems.push("APP_URL must be an https:// address in production");
  return problems;
}
