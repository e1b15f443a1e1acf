import { findSuppressions, liftByOperator, type SuppressibleChannel } from "../db/suppressions";
import { Usage } from "./ops-arguments";
import type { OpsAnswer, OpsContext } from "./ops-verbs";

export const SUPPRESSIONS_HELP = `  suppressed <email|sms> <address>            whether and why this address must not be written to
  lift <email|sms> <address> --reason …       end its suppression`;

/** The verbs about addresses that must not be written to. */
export const SUPPRESSIONS: Record<string, (context: OpsContext) => Promise<OpsAnswer>> = {
  suppressed: async (context) => {
    const found = await findSuppressions(channelOf(context), context.argument(1, "address"));
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
    const address = context.argument(1, "address");
    const lifted = await liftByOperator({ channel: channelOf(context), address, ...context.operator() });
    const line = lifted ? "Lifted: the address is written to again." : "This address is not suppressed.";
    return { json: { ok: true, lifted }, lines: [line], ok: true };
  },
};

function channelOf(context: OpsContext): SuppressibleChannel {
  const channel = context.argument(0, "channel");
  if (channel === "email" || channel === "sms") return channel;
  throw new Usage(`The channel must be email or sms; given: ${channel}`);
}

const iso = (ms: number) => new Date(ms).toISOString();
