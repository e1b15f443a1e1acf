type Environment = Record<string, string | undefined>;

/** Settings that name a server the app calls or is called by. */
const ADDRESSES = [
  "APP_URL",
  "RESEND_BASE_URL",
  "TWILIO_BASE_URL",
  "INNGEST_BASE_URL",
  "INNGEST_DEV",
] as const;

const LOOPBACK = ["127.0.0.1", "localhost", "[::1]", "::1"];

/**
 * What makes a production start unsafe, each with the way out: whoever reaches the endpoint could start sends when
 * Inngest's signatures are not verified. `db/config.ts` looks at everything else.
 */
export function safetyProblems(env: Environment): string[] {
  if (wantsStandins(env)) {
    const outside = outsideLoopback(env);
    if (outside.length === 0) return [];
    return [
      `PUNCTUAL_ALLOW_STANDINS is for a rehearsal on one machine, but ${outside.join(", ")} lead elsewhere.`,
    ];
  }
  const problems: string[] = [];
  if (isOn(env.INNGEST_DEV)) {
    problems.push(
      "INNGEST_DEV is set, which turns off the verification of Inngest's signatures. Unset it, or set it to 0.",
    );
  }
  for (const name of ["INNGEST_SIGNING_KEY", "INNGEST_EVENT_KEY"]) {
    if (!env[name]?.trim())
      problems.push(`${name} is not set. Inngest's dashboard shows it; without it nothing is verified.`);
  }
  return problems;
}

/** Whether this is a rehearsal against stand-ins: asked for, and everything on this machine. */
export function allowStandins(env: Environment): boolean {
  return wantsStandins(env) && outsideLoopback(env).length === 0;
}

function wantsStandins(env: Environment): boolean {
  return isOn(env.PUNCTUAL_ALLOW_STANDINS);
}

function isOn(value: string | undefined): boolean {
  return !["", "0", "false", "no", "off"].includes(value?.trim().toLowerCase() ?? "");
}

/** The settings whose address is not this machine. `INNGEST_DEV=1` means the dev server on this machine. */
function outsideLoopback(env: Environment): string[] {
  const addresses = ADDRESSES.filter((name) => {
    const value = env[name]?.trim() ?? "";
    return value.includes("://") && !LOOPBACK.includes(hostOf(value));
  });
  const hosts = (env.WEB_PUSH_EXTRA_HOSTS ?? "").split(",").map((host) => host.trim());
  const outside = hosts.filter((host) => host !== "" && !LOOPBACK.includes(hostOf(`http://${host}`)));
  return [...addresses, ...(outside.length > 0 ? ["WEB_PUSH_EXTRA_HOSTS"] : [])];
}

function hostOf(url: string): string {
  try {
    return new URL(url).hostname;
  } catch {
    return "";
  }
}
