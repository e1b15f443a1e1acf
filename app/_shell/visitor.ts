import "server-only";
import { headers } from "next/headers";
import { config } from "../../db/config";
import { visitorOf } from "../../db/rules/rate-limit";

/** Who asks, as far as limits tell visitors apart: the network address that our own proxy saw. Kept nowhere as it is. */
export async function visitor(): Promise<string> {
  return visitorOf((await headers()).get("x-forwarded-for"), config().trustedProxies);
}
