import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import webPush from "web-push";

/** Where the parts of the local stack listen. */
export type Ports = { app: number; standins: number; engine: number };

/** Which environment variable moves each of them. */
export const PORT_VARIABLES = { app: "PORT", standins: "STANDINS_PORT", engine: "ENGINE_PORT" } as const;

const PORT_DEFAULTS: Ports = { app: 3000, standins: 4010, engine: 8288 };

type Secrets = Record<
  | "AUTH_SECRET"
  | "RESEND_WEBHOOK_SECRET"
  | "SUPPRESSION_SECRET"
  | "TWILIO_ACCOUNT_SID"
  | "TWILIO_AUTH_TOKEN"
  | "VAPID_PUBLIC_KEY"
  | "VAPID_PRIVATE_KEY",
  string
>;

/** Reads the three ports. Throws when one is no port, or two are the same. */
export function readPorts(source: Record<string, string | undefined>): Ports {
  const ports = { ...PORT_DEFAULTS };
  for (const part of ["app", "standins", "engine"] as const) {
    const name = PORT_VARIABLES[part];
    const text = source[name]?.trim();
    if (!text) continue;
    const port = Number(text);
    if (!Number.isInteger(port) || port < 1 || port > 65_535)
      throw new Error(`${name} must be a port from 1 to 65535.`);
    ports[part] = port;
  }
  const { app, standins, engine } = ports;
  if (new Set([app, standins, engine]).size < 3) {
    throw new Error(`PORT (${app}), STANDINS_PORT (${standins}) and ENGINE_PORT (${engine}) must differ.`);
  }
  return ports;
}

/**
 * The secrets of the local stack, made at the first start and kept: sessions, push subscriptions and signed links
 * outlive a restart. A file without one of them (an older one) is completed.
 */
export async function keepSecrets(file: string): Promise<Secrets> {
  const kept = await readFile(file, "utf8").then(
    (text) => JSON.parse(text) as Partial<Secrets>,
    () => ({}),
  );
  const secrets = { ...makeSecrets(), ...kept };
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
  return secrets;
}

function makeSecrets(): Secrets {
  const vapid = webPush.generateVAPIDKeys();
  return {
    AUTH_SECRET: randomBytes(32).toString("base64url"),
    RESEND_WEBHOOK_SECRET: `whsec_${randomBytes(24).toString("base64")}`,
    SUPPRESSION_SECRET: randomBytes(32).toString("base64url"),
    TWILIO_ACCOUNT_SID: `AC${randomBytes(16).toString("hex")}`,
    TWILIO_AUTH_TOKEN: randomBytes(16).toString("hex"),
    VAPID_PUBLIC_KEY: vapid.publicKey,
    VAPID_PRIVATE_KEY: vapid.privateKey,
  };
}

/** The environment of every process of the local stack: all providers are the stand-ins, whatever the shell holds. */
export function stackEnvironment(
  ports: Ports,
  databaseUrl: string,
  secrets: Secrets,
): Record<string, string> {
  const standins = `http://127.0.0.1:${ports.standins}`;
  const engine = `http://127.0.0.1:${ports.engine}`;
  return {
    ...secrets,
    APP_URL: `http://127.0.0.1:${ports.app}`,
    DATABASE_URL: databaseUrl,
    EMAIL_FROM: "Punctual <reminders@punctual.example>",
    // Under what the stand-ins allow (50 a second), so that a 429 is something one asks for on their page.
    EMAIL_RATE_PER_SECOND: process.env.EMAIL_RATE_PER_SECOND ?? "40",
    SMS_RATE_PER_SECOND: process.env.SMS_RATE_PER_SECOND ?? "40",
    PUSH_RATE_PER_SECOND: process.env.PUSH_RATE_PER_SECOND ?? "100",
    ENGINE_PORT: String(ports.engine),
    INNGEST_BASE_URL: engine,
    INNGEST_DEV: engine,
    // The generation that the migrations promote; a restored copy is given another one (see OPERATIONS.md).
    LEDGER_GENERATION: process.env.LEDGER_GENERATION ?? "g1",
    METRICS_TOKEN: "metrics-of-the-local-stack",
    PORT: String(ports.app),
    RESEND_API_KEY: "re_dev",
    RESEND_BASE_URL: `${standins}/resend`,
    STANDINS_PORT: String(ports.standins),
    TWILIO_BASE_URL: `${standins}/twilio`,
    TWILIO_FROM: "+15005550006",
    VAPID_SUBJECT: "mailto:ops@punctual.example",
    WEB_PUSH_EXTRA_HOSTS: `127.0.0.1:${ports.standins},localhost:${ports.standins}`,
  };
}
