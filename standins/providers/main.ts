import { startProvidersServer } from "./server";

/** The port that everything else expects the stand-ins on. */
const USUAL_PORT = 4010;

const { STANDINS_PORT, STANDINS_HOST, APP_URL, RESEND_WEBHOOK_SECRET, TWILIO_AUTH_TOKEN } = process.env;

try {
  const server = await startProvidersServer({
    port: Number(STANDINS_PORT || USUAL_PORT),
    host: STANDINS_HOST || undefined,
    appUrl: APP_URL || undefined,
    webhookSecret: RESEND_WEBHOOK_SECRET || undefined,
    twilioAuthToken: TWILIO_AUTH_TOKEN || undefined,
  });
  process.stdout.write(`Provider stand-ins: ${server.url} (inbox, /control, /ledger)\n`);
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => void server.close().then(() => process.exit(0)));
  }
} catch (error) {
  process.stderr.write(
    `The provider stand-ins did not start: ${error instanceof Error ? error.message : error}\n`,
  );
  process.exitCode = 1;
}
