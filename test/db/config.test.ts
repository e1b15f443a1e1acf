import { afterEach, describe, expect, test } from "vitest";
import { config, readConfig, readConsumerGeneration, resetConfig } from "../../db/config";

const WHOLE = {
  DATABASE_URL: "postgres://punctual@localhost/punctual",
  LEDGER_GENERATION: "1",
  APP_URL: "https://punctual.example/",
  AUTH_SECRET: "0123456789abcdef0123456789abcdef",
  SUPPRESSION_SECRET: "fedcba9876543210fedcba9876543210",
  RESEND_API_KEY: "re_1",
  EMAIL_FROM: "Punctual <reminders@punctual.example>",
  TWILIO_ACCOUNT_SID: `AC${"0".repeat(32)}`,
  TWILIO_AUTH_TOKEN: "token",
  TWILIO_FROM: "+15005550006",
};
const VAPID = {
  VAPID_PUBLIC_KEY: "B".repeat(87),
  VAPID_PRIVATE_KEY: "p".repeat(43),
  VAPID_SUBJECT: "mailto:ops@punctual.example",
};

afterEach(() => resetConfig());

test("reads what is needed, and gives the rest its defaults", () => {
  expect(readConfig(WHOLE)).toEqual({
    databaseUrl: WHOLE.DATABASE_URL,
    ledgerGeneration: "1",
    appUrl: "https://punctual.example",
    aftershipWebhookSecret: null,
    authSecret: WHOLE.AUTH_SECRET,
    previousAuthSecrets: [],
    trustedProxies: 1,
    suppressionSecret: WHOLE.SUPPRESSION_SECRET,
    resend: {
      account: "main",
      apiKey: "re_1",
      baseUrl: null,
      from: WHOLE.EMAIL_FROM,
      webhookSecrets: [],
    },
    twilio: {
      accountSid: WHOLE.TWILIO_ACCOUNT_SID,
      authToken: "token",
      previousAuthToken: null,
      from: "+15005550006",
      baseUrl: null,
    },
    shopCheckHosts: [],
    consumerGeneration: null,
    metricsToken: null,
    operatorWebhookUrl: null,
    webPush: null,
    rates: { emailPerSecond: 5, smsSegmentsPerSecond: 1, smsAccountPerSecond: null, pushPerSecond: 100 },
  });
});

test("reads what may be given", () => {
  const given = readConfig({
    ...WHOLE,
    ...VAPID,
    RESEND_BASE_URL: "http://127.0.0.1:4010/resend/",
    TWILIO_BASE_URL: "http://127.0.0.1:4010/twilio",
    WEB_PUSH_EXTRA_HOSTS: " 127.0.0.1:4010, LOCALHOST ,",
    RESEND_WEBHOOK_SECRET: "whsec_abc",
    EMAIL_RATE_PER_SECOND: "0.5",
  });
  expect(given.resend).toMatchObject({
    baseUrl: "http://127.0.0.1:4010/resend",
    webhookSecrets: ["whsec_abc"],
  });
  expect(given.twilio.baseUrl).toBe("http://127.0.0.1:4010/twilio");
  expect(given.webPush).toMatchObject({ extraHosts: ["127.0.0.1:4010", "localhost"] });
  expect(given.rates.emailPerSecond).toBe(0.5);
});

test("names everything that is missing at once, with what would be accepted", () => {
  const read = () => readConfig({ AUTH_SECRET: "  " });
  for (const name of Object.keys(WHOLE)) expect(read).toThrow(new RegExp(`${name} is not set: it must be `));
});

describe("refuses", () => {
  test.each([
    ["DATABASE_URL", "mysql://x"],
    ["LEDGER_GENERATION", "a b"],
    ["APP_URL", "punctual.example"],
    ["AUTH_SECRET", "short"],
    ["RESEND_API_KEY", "re 1"],
    ["EMAIL_FROM", "Punctual"],
    ["EMAIL_FROM", "Punctual\r\nBcc: b@example.com <a@example.com>"],
    ["EMAIL_FROM", "a@example.com, b@example.com"],
    ["TWILIO_ACCOUNT_SID", "SK0"],
    ["TWILIO_FROM", "005550006"],
    ["WEB_PUSH_EXTRA_HOSTS", "http://127.0.0.1:4010"],
    ["VAPID_SUBJECT", "mailto: ops@punctual.example"],
    ["VAPID_SUBJECT", "http://punctual.example"],
    ["VAPID_PUBLIC_KEY", "short"],
    ["RESEND_WEBHOOK_SECRET", "secret"],
    ["RESEND_BASE_URL", "ftp://x"],
    ["EMAIL_RATE_PER_SECOND", "0"],
    ["EMAIL_RATE_PER_SECOND", "NaN"],
    ["SMS_RATE_PER_SECOND", "fast"],
    ["SMS_ACCOUNT_RATE_PER_SECOND", "0"],
    ["CONSUMER_GENERATION", "two"],
    ["CONSUMER_GENERATION", "0"],
    ["ENGINE_CONCURRENCY", "201"],
    ["METRICS_TOKEN", "short"],
    ["OPERATOR_WEBHOOK_URL", "hooks.example"],
  ])("%s=%s", (name, value) => {
    const read = () => readConfig({ ...WHOLE, ...VAPID, [name]: value });
    expect(read).toThrow(`${name} has a value that does not fit`);
  });

  test("and repeats no value: it may be a secret", () => {
    expect(() => readConfig({ ...WHOLE, RESEND_API_KEY: "re_ 5ecret", AUTH_SECRET: "5ecret" })).toThrow(
      /^(?!.*5ecret)/s,
    );
  });

  test("half a pair of push keys", () => {
    expect(() => readConfig({ ...WHOLE, VAPID_PUBLIC_KEY: VAPID.VAPID_PUBLIC_KEY })).toThrow(
      /belong together/,
    );
    expect(() => readConfig({ ...WHOLE, ...VAPID, VAPID_SUBJECT: "" })).toThrow(/VAPID_SUBJECT is not set/);
  });
});

describe("in production", () => {
  const production = { ...WHOLE, NODE_ENV: "production" };

  test.each([
    ["RESEND_BASE_URL", "http://127.0.0.1:4010/resend"],
    ["TWILIO_BASE_URL", "http://127.0.0.1:4010/twilio"],
    ["WEB_PUSH_EXTRA_HOSTS", "127.0.0.1:4010, [::1]:4010"],
  ])("%s is refused", (name, value) => {
    const standin = { ...production, [name]: value };
    expect(() => readConfig(standin)).toThrow(new RegExp(`${name} is set, which leads to a stand-in`));
    expect(() => readConfig({ ...standin, PUNCTUAL_ALLOW_STANDINS: "0" })).toThrow(/stand-in/);
    expect(() => readConfig({ ...standin, PUNCTUAL_ALLOW_STANDINS: "1" })).not.toThrow();
    expect(() => readConfig({ ...standin, NODE_ENV: "development" })).not.toThrow();
  });

  test("the app is reached over https", () => {
    expect(() => readConfig(production)).not.toThrow();
    expect(() => readConfig({ ...production, APP_URL: "http://punctual.example" })).toThrow(
      /APP_URL must be https|https:\/\//,
    );
  });
});

test("a consumer generation that is no number is refused wherever it is read: nobody owns everything by a slip", () => {
  expect(readConsumerGeneration({})).toBeNull();
  expect(readConsumerGeneration({ CONSUMER_GENERATION: " 2 " })).toBe(2);
  expect(() => readConsumerGeneration({ CONSUMER_GENERATION: "v2" })).toThrow(
    /CONSUMER_GENERATION has a value/,
  );
});

test("the process's settings are read once, until they are reset", () => {
  const before = process.env.LEDGER_GENERATION;
  process.env.DATABASE_URL ??= WHOLE.DATABASE_URL;
  const first = config();
  process.env.LEDGER_GENERATION = "another";
  expect(config()).toBe(first);
  resetConfig();
  expect(config().ledgerGeneration).toBe("another");
  if (before === undefined) delete process.env.LEDGER_GENERATION;
  else process.env.LEDGER_GENERATION = before;
});
