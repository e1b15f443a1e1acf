import "server-only";
import { cookies } from "next/headers";
import { z } from "zod";
import { config } from "../../db/config";
import { CODE_USEFUL_SECONDS } from "../../db/notices";
import { nextPath } from "./next-path";

const NAME = "punctual.sign-in";

const pending = z.object({ email: z.string().max(320), next: z.string().max(2000) });
export type PendingSignIn = z.infer<typeof pending>;

/**
 * Whom a code was sent to, between the two pages of signing in: in a cookie, so that no address stands in the page's own
 * address. It proves nothing; the code does. And it may be anybody's: a neighbour below the same domain can set it.
 */
export async function readPendingSignIn(): Promise<PendingSignIn | null> {
  const text = (await cookies()).get(NAME)?.value;
  if (text === undefined) return null;
  try {
    const parsed = pending.safeParse(JSON.parse(text));
    return parsed.success ? { ...parsed.data, next: nextPath(parsed.data.next) } : null;
  } catch {
    return null;
  }
}

/** Remembers it as long as a code is of use. */
export async function rememberPendingSignIn(value: PendingSignIn): Promise<void> {
  (await cookies()).set(NAME, JSON.stringify(value), {
    httpOnly: true,
    sameSite: "lax",
    secure: config().appUrl.startsWith("https://"),
    path: "/sign-in",
    maxAge: CODE_USEFUL_SECONDS,
  });
}

export async function forgetPendingSignIn(): Promise<void> {
  (await cookies()).delete({ name: NAME, path: "/sign-in" });
}
