/**
 * The settings of every test process, before any module of the app reads them. Nothing of the developer's own
 * settings comes in: a test must not reach a real provider because a key lies in the shell.
 */
const SETTINGS: Record<string, string> = {
  APP_URL: "http://127.0.0.1:3000",
  AUTH_SECRET: "test-secret-test-secret-test-secret-42",
  EMAIL_FROM: "Punctual <reminders@punctual.example>",
  INNGEST_DEV: "http://127.0.0.1:9",
  INNGEST_BASE_URL: "http://127.0.0.1:9",
  LEDGER_GENERATION: "g1",
  RESEND_API_KEY: "re_test",
  RESEND_BASE_URL: "http://127.0.0.1:9/resend",
  RESEND_WEBHOOK_SECRET: "whsec_c3RhbmQtaW4gc2lnbmluZyBrZXk=",
  SUPPRESSION_SECRET: "test-suppressions-test-suppressions-42",
  TWILIO_ACCOUNT_SID: "AC00000000000000000000000000000000",
  TWILIO_AUTH_TOKEN: "test-twilio-token",
  TWILIO_BASE_URL: "http://127.0.0.1:9/twilio",
  TWILIO_FROM: "+15005550006",
  VAPID_PRIVATE_KEY: "FQwZNPucPmS0ILhtzFCCq4pCa619_nA8Pl96mP5Q-og",
  VAPID_PUBLIC_KEY: "BEMipZr99gRlGLpNvss92kHs-emkSUyVU9h4gAjGLFnli9s8jpg96O97lcxKqsfj6k6buJ9UBD38ha74tOBo-Sk",
  VAPID_SUBJECT: "mailto:ops@punctual.example",
  WEB_PUSH_EXTRA_HOSTS: "127.0.0.1,localhost",
};

/** Names that a developer's shell may hold and that would change what a test does. */
const REMOVED = ["DATABASE_URL", "INNGEST_EVENT_KEY", "INNGEST_SIGNING_KEY", "OPERATOR_WEBHOOK_URL", "PORT"];

for (const name of REMOVED) delete process.env[name];
Object.assign(process.env, SETTINGS);

// Files share a process, so that its modules are loaded once. What the app keeps for its process, each finds as new.
for (const name of Object.keys(globalThis))
  if (name.startsWith("punctual")) Reflect.deleteProperty(globalThis, name);
