import "server-only";
import { createHash } from "node:crypto";
import { betterAuth } from "better-auth";
import { nextCookies } from "better-auth/next-js";
import { emailOTP } from "better-auth/plugins/email-otp";
import { magicLink } from "better-auth/plugins/magic-link";
import { authStorage } from "../../db/auth-storage";
import { config } from "../../db/config";
import { withoutStatement } from "../../db/impersonal";
import { CODE_USEFUL_SECONDS } from "../../db/notices";
import { hashLinkToken } from "../../db/sign-in-links";
import { log } from "../../inngest/log";
import { sendSignInCode } from "./sign-in-code";

/** As many as a person reads and types without a mistake. */
const CODE_DIGITS = 6;

/** Guesses at one code: with five codes in ten minutes, a stranger has 1 chance in 40,000. */
const CODE_TRIES_MAX = 5;

/** A month: a reminder app that asks for a code each week is not used. */
const SESSION_SECONDS = 30 * 24 * 3600;

/** A session in use is prolonged once a day. */
const SESSION_PROLONG_SECONDS = 24 * 3600;

function createAuth() {
  const { appUrl, authSecret, previousAuthSecrets } = config();
  return betterAuth({
    appName: "Punctual",
    baseURL: appUrl,
    ...secretsOf(authSecret, previousAuthSecrets),
    database: authStorage(),
    telemetry: { enabled: false },
    // Its own lines would hold statements with their parameters: addresses, and the tokens of sessions.
    logger: {
      level: "error",
      log: (level, message) => log[level === "error" ? "error" : "warn"](tidy(message)),
    },
    // By address and not by build: a rehearsal serves production over http on one machine.
    advanced: { useSecureCookies: appUrl.startsWith("https://"), cookiePrefix: "punctual" },
    session: { expiresIn: SESSION_SECONDS, updateAge: SESSION_PROLONG_SECONDS },
    user: {
      additionalFields: {
        // Never from a request: `input: false` leaves it out of everything that a client may set.
        role: { type: "string", required: true, defaultValue: "shopper", input: false },
      },
    },
    plugins: [
      emailOTP({
        otpLength: CODE_DIGITS,
        expiresIn: CODE_USEFUL_SECONDS,
        allowedAttempts: CODE_TRIES_MAX,
        // Encrypted with the app's secret, not hashed: a bare hash of six digits is undone by trying them all. And a code
        // that can be read again is sent again, so that the mail that arrives first is right, and a stranger who asks
        // for codes in somebody's name does not take theirs away.
        storeOTP: "encrypted",
        resendStrategy: "reuse",
        sendVerificationOTP: ({ email, otp }) => sendSignInCode(email, otp),
      }),
      magicLink({
        disableSignUp: true,
        storeToken: { type: "custom-hasher", hash: async (token) => hashLinkToken(token) },
        sendMagicLink: () => {
          throw new Error("Sign-in links are made on the host only.");
        },
      }),
      // Last: it hands the cookies that the others set to Next.
      nextCookies(),
    ],
  });
}

/** What the library says, without what it repeats of a statement. */
function tidy(message: string): string {
  return `sign-in library: ${withoutStatement(message).slice(0, 200)}`;
}

/**
 * The first secret signs and encrypts; those of before still decrypt. Each is known by a number of its own, so that the
 * same list in another order, or a shorter one, reads what was written before.
 */
function secretsOf(current: string, previous: readonly string[]) {
  const oldest = previous.at(-1);
  if (oldest === undefined) return { secret: current };
  const versioned = (value: string) => {
    return { version: createHash("sha256").update(value).digest().readUInt32BE(0), value };
  };
  return { secret: oldest, secrets: [current, ...previous].map(versioned) };
}

type Auth = ReturnType<typeof createAuth>;

// Made at the first request, never at import: a build has no settings. One per process, as the database is.
const holder = globalThis as unknown as { punctualAuth?: Auth };

/** The sign-in library on our database. */
export function auth(): Auth {
  holder.punctualAuth ??= createAuth();
  return holder.punctualAuth;
}
