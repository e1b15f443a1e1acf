import "server-only";
import { notFound, unstable_rethrow } from "next/navigation";
import { readReader } from "../../db/roles";
import { fail, ok, type Result } from "../../db/rules/errors";
import { log } from "../../inngest/log";
import { inTime } from "../_shell/in-time";
import { requireActing, requireShopper, type SignedIn } from "./session";

/** Who looks at the console: where they read times, and whether they may act. */
export interface Reader {
  email: string;
  mayAct: boolean;
  timeZone: string;
  /** The ledger's clock, epoch milliseconds. */
  nowMs: number;
}

/**
 * The operator or read-only operator behind this page. Nobody signed in is sent to sign in and comes back to `path`; for
 * everybody else the console does not exist.
 */
export async function requireReader(path: string): Promise<Reader> {
  const person = await requireShopper(path);
  if (!seesConsole(person)) notFound();
  const { timeZone, nowMs } = await inTime(readReader(person.subscriberId));
  return { email: person.email, mayAct: person.role === "operator", timeZone, nowMs };
}

/**
 * The operator behind this action. A read-only operator is told so; to a shopper the action does not exist, and nobody
 * signed in is sent to sign in and comes back to `path`. When nobody can be asked who it is, nothing is done and that is
 * said: what was typed stays.
 */
export async function requireOperator(path: string): Promise<Result<{ name: string }>> {
  const person = await requireActing(path).catch((error: unknown) => {
    unstable_rethrow(error);
    log.error("nobody knows who acts", { path, error });
    return null;
  });
  if (person === null)
    return fail({ code: "unavailable", why: "The ledger does not answer. Nothing was changed: try again." });
  if (!seesConsole(person)) notFound();
  if (person.role !== "operator") {
    return fail({
      code: "forbidden",
      why: "Your role is read-only: you may look at everything here and change nothing. Ask an operator to do it.",
    });
  }
  return ok({ name: person.email });
}

/** Whether the console exists for this person. */
export function seesConsole({ role }: Pick<SignedIn, "role">): boolean {
  return role === "operator" || role === "viewer";
}
