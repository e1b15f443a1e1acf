import { checkEmailAddress } from "../db/rules/email-address";
import { problemDetail } from "../db/rules/errors";
import { checkPhone } from "../db/rules/phone";
import { findSuppressions, liftByOperator, type SuppressibleChannel } from "../db/suppressions";
import { Usage } from "./ops-arguments";
import type { OpsAnswer, OpsContext } from "./ops-verbs";

export const SUPPRESSIONS_HELP = `  suppressed <email|sms> <address>            whether and why this address must not be written to
  lift <email|sms> <address> --reason …       end its suppression`;

/** The verbs about addresses that must not be written to. */
export const SUPPRESSIONS: Record<string, (context: OpsContext) => Promise<OpsAnswer>> = {
  suppressed: async (context) => {
    const { channel, address } = named(context);
    const found = await findSuppressions(channel, address);
    const lines = found.map(({ scope, reason, createdAtMs, liftedAtMs, liftedBy }) => {
      const end = liftedAtMs === null ? "stands" : `lifted ${iso(liftedAtMs)} by ${liftedBy}`;
      return `${iso(createdAtMs)}   ${reason}   ${scope}   ${end}`;
    });
    return {
      json: { suppressions: found },
      lines: lines.length === 0 ? ["This address was never suppressed."] : lines,
      ok: true,
    };
  },
  lift: async (context) => {
    const lifted = await liftByOperator({ ...named(context), ...context.operator() });
    const line = lifted ? "Lifted: the address is written to again." : "This address is not suppressed.";
    return { json: { ok: true, lifted }, lines: [line], ok: true };
  },
};

/** A number as providers write it, of whatever kind: also one that no code would be sent to may have said stop. */
const E164 = /^\+[1-9]\d{1,14}$/;

/**
 * The address in the one form that is remembered: of another one "never suppressed" would be told, and be wrong. What is
 * no address is a mistake of the command line.
 */
function named(context: OpsContext): { channel: SuppressibleChannel; address: string } {
  const channel = context.argument(0, "channel");
  const typed = context.argument(1, "address");
  if (channel !== "email" && channel !== "sms")
    throw new Usage(`The channel must be email or sms; given: ${channel}`);
  if (channel === "sms" && E164.test(typed)) return { channel, address: typed };
  const checked = channel === "email" ? checkEmailAddress("address", typed) : checkPhone("address", typed);
  if (!checked.ok) throw new Usage(problemDetail(checked.problem));
  return { channel, address: checked.value };
}

const iso = (ms: number) => new Date(ms).toISOString();
