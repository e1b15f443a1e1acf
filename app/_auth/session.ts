import "server-only";
import { headers } from "next/headers";
import { redirect } from "next/navigation";
import { cache } from "react";
import { impersonally } from "../../db/impersonal";
import { ROLES, type Role } from "../../db/roles";
import { linkSubscriber } from "../../db/sign-in-subscriber";
import { inTime } from "../_shell/in-time";
import { pathSegment } from "../_shell/path-segment";
import { auth } from "./auth";
import { underCurrentSecret } from "./session-cookie";

/** Who is signed in, and whose reminders they may see. */
export interface SignedIn {
  userId: string;
  subscriberId: string;
  email: string;
  role: Role;
}

/**
 * The person behind this request, or null. From the session alone: nothing in a request names an owner. Once per
 * request; a page reads the session without prolonging it, because a page cannot set the cookie that goes with it.
 */
export const currentShopper = cache(async (): Promise<SignedIn | null> => readSession(true));

/** The same for an action or a route, which prolongs the session. */
export function actingShopper(): Promise<SignedIn | null> {
  return readSession(false);
}

async function readSession(disableRefresh: boolean): Promise<SignedIn | null> {
  // Before anything else: reading a request's headers is what tells a build that there is nothing to render yet.
  const incoming = await headers();
  return inTime(findPerson(incoming, disableRefresh));
}

async function findPerson(incoming: Headers, disableRefresh: boolean): Promise<SignedIn | null> {
  const request = { headers: underCurrentSecret(incoming), query: { disableRefresh } };
  const found = await impersonally(() => auth().api.getSession(request));
  if (found === null) return null;
  const { id, email, role } = found.user;
  const subscriberId = await linkSubscriber(id, email);
  return subscriberId === null ? null : { userId: id, email, role: toRole(role), subscriberId };
}

function toRole(role: string): Role {
  return ROLES.find((known) => known === role) ?? "shopper";
}

/** The person behind this page; nobody signed in is sent to sign in and comes back to `path`. */
export async function requireShopper(path: string): Promise<SignedIn> {
  const shopper = await currentShopper();
  if (shopper === null) redirect(signInPath(path));
  return shopper;
}

/** The person behind this action; a session that ended meanwhile leads to signing in and back to `path`. */
export async function requireActing(path: string): Promise<SignedIn> {
  const shopper = await actingShopper();
  if (shopper === null) redirect(signInPath(path));
  return shopper;
}

function signInPath(path: string): string {
  return `/sign-in?next=${pathSegment(path)}`;
}
