import { z } from "zod";
import { checkProduction, checkTogether } from "./config-checks";

/** The settings of one process, read once from the environment. Secrets are in here: never log it whole. */
export interface Config {
  databaseUrl: string;
  /** Names this installation's right to send (DESIGN: restore); changed before a restored copy starts. */
  ledgerGeneration: string;
  /** Public address of the app, without a slash at its end; in provider callbacks and in links. */
  appUrl: string;
  authSecret: string;
  /** Secrets of before, newest first: they sign nothing any more, and what they signed is still believed. */
  previousAuthSecrets: string[];
  /** Proxies in front of the app that append to `X-Forwarded-For`; who asks is what the first of them saw. */
  trustedProxies: number;
  /** Keys the hashes of suppressed addresses: a new one would forget who said stop. */
  suppressionSecret: string;
  /** `account` names the team in partition keys: all keys of a team share one limit. */
  resend: {
    account: string;
    apiKey: string;
    baseUrl: string | null;
    from: string;
    /** Any of them may sign: two while one is rotated. Without one no webhook is believed. */
    webhookSecrets: string[];
  };
  /** `previousAuthToken` is still believed in callbacks, while Twilio promotes the other. */
  twilio: {
    accountSid: string;
    authToken: string;
    previousAuthToken: string | null;
    from: string;
    baseUrl: string | null;
  };
  /** The secret of AfterShip's webhook; null without one: its calls are then refused. */
  aftershipWebhookSecret: string | null;
  /** Null without VAPID keys: push is then neither offered nor sent. */
  webPush: { publicKey: string; privateKey: string; subject: string; extraHosts: string[] } | null;
  /** Hosts of the shop that may be asked whether a reminder still makes sense; none: nobody is asked. */
  shopCheckHosts: string[];
  /** The build's number while two share a ledger; null when there is one, which owns every partition. */
  consumerGeneration: number | null;
  /** Opens `/api/metrics`; null without one: there are then none. */
  metricsToken: string | null;
  /** Where operators are told what needs them, beside the log. */
  operatorWebhookUrl: string | null;
  /** The ceilings that a new partition starts with; operators change them per partition afterwards. */
  rates: {
    emailPerSecond: number;
    smsSegmentsPerSecond: number;
    /** What all senders of the SMS account may send together; null without such a limit. */
    smsAccountPerSecond: number | null;
    pushPerSecond: number;
  };
}

/**
 * Where nobody said otherwise: Resend's documented 5 requests per second and team (its headers lower it, where less is
 * allowed), one segment per second for a US long code, and for push, where nothing is published, what one process sends
 * with ease.
 */
const DEFAULT_RATES = { email: 5, sms: 1, push: 100 };

/** Ten times what one database carries: more is a slip of the keyboard. */
const RATE_PER_SECOND_MAX = 10_000;

/** It signs the sign-ins: even in hexadecimal digits 32 characters are 128 bits, beyond guessing. */
const AUTH_SECRET_CHARACTERS_MIN = 32;

/** A content network, a load balancer and a sidecar are three; more is a slip of the keyboard. */
const TRUSTED_PROXIES_MAX = 9;

/** Shorter is not a secret; AfterShip's own are longer. */
const SECRET_CHARACTERS_MIN = 16;

/** Above what admission has out at once, so that the engine's limit does not bind where the plan allows it. */
const ENGINE_CONCURRENCY_DEFAULT = 200;

/** What a column of type integer holds. */
const GENERATION_MAX = 2 ** 31 - 1;

const EMAIL_SENDER = /^([^\p{Cc}\p{Zl}\p{Zp}<>@]+<[^\s@<>]+@[^\s@<>]+>|[^\s@<>]+@[^\s@<>]+)$/u;
const SMS_SENDER = /^(\+[1-9]\d{1,14}|MG[0-9a-f]{32}|(?=.*[a-z])[a-z0-9 ]{1,11})$/i;
/** Apple refuses white space and angle brackets in it (403 `BadJwtToken`). */
const VAPID_SUBJECT = /^(mailto:[^\s<>@]+@[^\s<>@]+|https:\/\/[^\s<>]+)$/;

/** Hosts, bracketed IPv6 addresses included, with or without a port. */
const HOSTS = /^\s*(([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?\s*(,\s*|$))+$/i;

const text = z.string().trim();
const baseUrl = z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, ""));
const rate = (perSecond: number) => z.coerce.number().positive().max(RATE_PER_SECOND_MAX).default(perSecond);
const hosts = text.regex(HOSTS).transform((list) =>
  list
    .split(",")
    .map((host) => host.trim().toLowerCase())
    .filter((host) => host !== ""),
);

/** A setting that is empty is not set. */
function empty(value: unknown): unknown {
  return typeof value === "string" && value.trim() === "" ? undefined : value;
}

function required<T extends z.ZodType>(schema: T) {
  return z.preprocess(empty, schema);
}

function optional<T extends z.ZodType>(schema: T) {
  return z.preprocess(empty, schema.optional());
}

const secretList = text
  .transform((list) => list.split(",").map((secret) => secret.trim()))
  .refine((secrets) => secrets.every((secret) => secret.length >= AUTH_SECRET_CHARACTERS_MIN));

const generation = z.coerce.number().int().positive().max(GENERATION_MAX);

const environment = z.object({
  DATABASE_URL: required(z.url({ protocol: /^postgres(ql)?$/ })),
  LEDGER_GENERATION: required(text.regex(/^[\w.-]{1,64}$/)),
  APP_URL: required(baseUrl),
  AUTH_SECRET: required(text.min(AUTH_SECRET_CHARACTERS_MIN)),
  AUTH_SECRETS_PREVIOUS: optional(secretList),
  TRUSTED_PROXIES: z.preprocess(empty, z.coerce.number().int().min(1).max(TRUSTED_PROXIES_MAX).default(1)),
  SUPPRESSION_SECRET: required(text.min(AUTH_SECRET_CHARACTERS_MIN)),
  RESEND_ACCOUNT: optional(text.regex(/^[\w.-]{1,64}$/)),
  RESEND_API_KEY: required(text.regex(/^\S+$/)),
  RESEND_BASE_URL: optional(baseUrl),
  RESEND_WEBHOOK_SECRET: optional(text.regex(/^whsec_[^\s,]+(\s*,\s*whsec_[^\s,]+)*$/)),
  EMAIL_FROM: required(text.regex(EMAIL_SENDER)),
  TWILIO_ACCOUNT_SID: required(text.regex(/^AC[0-9a-f]{32}$/i)),
  TWILIO_AUTH_TOKEN: required(text.regex(/^\S+$/)),
  TWILIO_AUTH_TOKEN_PREVIOUS: optional(text.regex(/^\S+$/)),
  TWILIO_FROM: required(text.regex(SMS_SENDER)),
  TWILIO_BASE_URL: optional(baseUrl),
  AFTERSHIP_WEBHOOK_SECRET: optional(text.min(SECRET_CHARACTERS_MIN)),
  CONSUMER_GENERATION: optional(generation),
  ENGINE_CONCURRENCY: optional(z.coerce.number().int().positive().max(ENGINE_CONCURRENCY_DEFAULT)),
  METRICS_TOKEN: optional(text.regex(/^\S+$/).min(SECRET_CHARACTERS_MIN)),
  OPERATOR_WEBHOOK_URL: optional(z.url({ protocol: /^https?$/ })),
  VAPID_PUBLIC_KEY: optional(text.regex(/^[\w-]{87}$/)),
  VAPID_PRIVATE_KEY: optional(text.regex(/^[\w-]{43}$/)),
  VAPID_SUBJECT: optional(text.regex(VAPID_SUBJECT)),
  WEB_PUSH_EXTRA_HOSTS: optional(hosts),
  SHOP_CHECK_HOSTS: optional(hosts),
  EMAIL_RATE_PER_SECOND: z.preprocess(empty, rate(DEFAULT_RATES.email)),
  SMS_RATE_PER_SECOND: z.preprocess(empty, rate(DEFAULT_RATES.sms)),
  SMS_ACCOUNT_RATE_PER_SECOND: optional(z.coerce.number().positive().max(RATE_PER_SECOND_MAX)),
  PUSH_RATE_PER_SECOND: z.preprocess(empty, rate(DEFAULT_RATES.push)),
});

const RATE = `a number above 0, at most ${RATE_PER_SECOND_MAX}`;

/** What each setting must be, as the end of a sentence. */
const ACCEPTED: Record<keyof z.infer<typeof environment>, string> = {
  DATABASE_URL: "a postgres:// address",
  LEDGER_GENERATION: "1 to 64 letters, digits, dots, dashes or underscores",
  APP_URL: "the public http:// or https:// address of this app",
  AUTH_SECRET: `a secret of at least ${AUTH_SECRET_CHARACTERS_MIN} characters`,
  AUTH_SECRETS_PREVIOUS: `secrets of at least ${AUTH_SECRET_CHARACTERS_MIN} characters, separated by commas, the newest first`,
  TRUSTED_PROXIES: `the number of proxies in front of the app, 1 to ${TRUSTED_PROXIES_MAX}`,
  SUPPRESSION_SECRET: `a secret of at least ${AUTH_SECRET_CHARACTERS_MIN} characters, kept for ever`,
  RESEND_ACCOUNT: "1 to 64 letters, digits, dots, dashes or underscores",
  RESEND_API_KEY: "a key such as re_…",
  RESEND_BASE_URL: "an http:// or https:// address",
  RESEND_WEBHOOK_SECRET: "a secret such as whsec_…, or two with a comma while one is rotated",
  EMAIL_FROM: "name@host, or Name <name@host>",
  TWILIO_ACCOUNT_SID: "AC and 32 hexadecimal digits",
  TWILIO_AUTH_TOKEN: "a token without spaces",
  TWILIO_AUTH_TOKEN_PREVIOUS: "a token without spaces",
  TWILIO_FROM: "a number such as +15005550006, a Messaging Service (MG…), or a name of at most 11 characters",
  TWILIO_BASE_URL: "an http:// or https:// address",
  AFTERSHIP_WEBHOOK_SECRET: `the webhook secret of an AfterShip account, at least ${SECRET_CHARACTERS_MIN} characters`,
  CONSUMER_GENERATION: "a whole number from 1",
  ENGINE_CONCURRENCY: `a whole number, 1 to ${ENGINE_CONCURRENCY_DEFAULT}`,
  METRICS_TOKEN: `a secret without spaces, at least ${SECRET_CHARACTERS_MIN} characters`,
  OPERATOR_WEBHOOK_URL: "an http:// or https:// address",
  VAPID_PUBLIC_KEY: "65 bytes in base64url",
  VAPID_PRIVATE_KEY: "32 bytes in base64url",
  VAPID_SUBJECT: "mailto:name@host or an https:// address, without spaces or <>",
  SHOP_CHECK_HOSTS: "hosts, or hosts with a port, separated by commas",
  WEB_PUSH_EXTRA_HOSTS: "hosts, or hosts with a port, separated by commas",
  EMAIL_RATE_PER_SECOND: RATE,
  SMS_RATE_PER_SECOND: RATE,
  SMS_ACCOUNT_RATE_PER_SECOND: RATE,
  PUSH_RATE_PER_SECOND: RATE,
};

type Environment = z.infer<typeof environment>;

/**
 * Reads and checks the settings. Throws one error that names every setting that is missing or wrong and what would be
 * accepted; values are not repeated, they may be secrets.
 *
 * In production (`NODE_ENV=production`) the settings that lead to stand-ins are refused and `APP_URL` must be https,
 * unless `PUNCTUAL_ALLOW_STANDINS=1` says that this is a rehearsal on purpose.
 */
export function readConfig(source: Record<string, string | undefined>): Config {
  const parsed = environment.safeParse(source);
  const problems = parsed.success
    ? [...checkTogether(parsed.data), ...checkProduction(source, parsed.data)]
    : parsed.error.issues.map((issue) => describe(issue.path[0] as keyof Environment, source));
  if (!parsed.success || problems.length > 0) {
    throw new Error(`The settings are not usable:\n${problems.map((problem) => `  ${problem}`).join("\n")}`);
  }
  return toConfig(parsed.data);
}

function describe(name: keyof Environment, source: Record<string, string | undefined>): string {
  const why = source[name]?.trim() ? "has a value that does not fit" : "is not set";
  return `${name} ${why}: it must be ${ACCEPTED[name]}`;
}

function toConfig(data: Environment): Config {
  const { VAPID_PUBLIC_KEY: publicKey, VAPID_PRIVATE_KEY: privateKey, VAPID_SUBJECT: subject } = data;
  const extraHosts = data.WEB_PUSH_EXTRA_HOSTS ?? [];
  return {
    databaseUrl: data.DATABASE_URL,
    ledgerGeneration: data.LEDGER_GENERATION,
    appUrl: data.APP_URL,
    authSecret: data.AUTH_SECRET,
    previousAuthSecrets: data.AUTH_SECRETS_PREVIOUS ?? [],
    trustedProxies: data.TRUSTED_PROXIES,
    suppressionSecret: data.SUPPRESSION_SECRET,
    resend: {
      account: data.RESEND_ACCOUNT ?? "main",
      apiKey: data.RESEND_API_KEY,
      baseUrl: data.RESEND_BASE_URL ?? null,
      from: data.EMAIL_FROM,
      webhookSecrets: (data.RESEND_WEBHOOK_SECRET ?? "").split(/[\s,]+/).filter((secret) => secret !== ""),
    },
    twilio: {
      accountSid: data.TWILIO_ACCOUNT_SID,
      authToken: data.TWILIO_AUTH_TOKEN,
      previousAuthToken: data.TWILIO_AUTH_TOKEN_PREVIOUS ?? null,
      from: data.TWILIO_FROM,
      baseUrl: data.TWILIO_BASE_URL ?? null,
    },
    rates: {
      emailPerSecond: data.EMAIL_RATE_PER_SECOND,
      smsSegmentsPerSecond: data.SMS_RATE_PER_SECOND,
      smsAccountPerSecond: data.SMS_ACCOUNT_RATE_PER_SECOND ?? null,
      pushPerSecond: data.PUSH_RATE_PER_SECOND,
    },
    consumerGeneration: data.CONSUMER_GENERATION ?? null,
    metricsToken: data.METRICS_TOKEN ?? null,
    operatorWebhookUrl: data.OPERATOR_WEBHOOK_URL ?? null,
    shopCheckHosts: data.SHOP_CHECK_HOSTS ?? [],
    aftershipWebhookSecret: data.AFTERSHIP_WEBHOOK_SECRET ?? null,
    webPush: publicKey && privateKey && subject ? { publicKey, privateKey, subject, extraHosts } : null,
  };
}

/**
 * `CONSUMER_GENERATION` by itself, for whoever reads a ledger with nothing else set. Throws when it is no number: to be
 * taken for the owner of everything by a slip of the keyboard would let two builds send.
 */
export function readConsumerGeneration(source: Record<string, string | undefined>): number | null {
  return readAlone("CONSUMER_GENERATION", source) ?? null;
}

/** `ENGINE_CONCURRENCY` by itself, for the registration: the steps of one partition that the engine may run at once. */
export function readEngineConcurrency(source: Record<string, string | undefined>): number {
  return readAlone("ENGINE_CONCURRENCY", source) ?? ENGINE_CONCURRENCY_DEFAULT;
}

function readAlone(
  name: "CONSUMER_GENERATION" | "ENGINE_CONCURRENCY",
  source: Record<string, string | undefined>,
): number | undefined {
  const parsed = environment.shape[name].safeParse(source[name]);
  if (!parsed.success) throw new Error(`The settings are not usable:\n  ${describe(name, source)}`);
  return parsed.data;
}

const holder = globalThis as unknown as { punctualConfig?: Config };

/** The process's settings, read at the first call and kept. Throws as `readConfig` does; importing this never throws. */
export function config(): Config {
  holder.punctualConfig ??= readConfig(process.env);
  return holder.punctualConfig;
}

/** Forgets the settings, so that the next `config()` reads the environment again. For tests. */
export function resetConfig(): void {
  delete holder.punctualConfig;
}
