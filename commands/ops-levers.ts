import {
  type ControlOutcome,
  pausePartition,
  resumePartition,
  setLaneWeight,
  setLimits,
  setOwner,
} from "../db/admission/controls";
import { listApiKeys, newApiSecret, revokeApiKey, storeApiKey } from "../db/api-keys";
import { predictDegradation } from "../db/console/predictions";
import { setMode } from "../db/ledger-mode";
import type { Operator } from "../db/operator-actions";
import { setRole } from "../db/roles";
import { API_SCOPES, readScopes } from "../db/rules/api-scopes";
import { DEGRADATION_NAME } from "../db/rules/degradation";
import type { Result } from "../db/rules/errors";
import { readDegradations, switchDegradation, writeDegradation } from "../db/shipments/degradation";
import { degrade } from "../inngest/degrade";
import { ringPumps } from "../inngest/dispatch";
import { Usage } from "./ops-arguments";
import { answer, type OpsAnswer, type OpsContext, told, type Verb } from "./ops-verbs";

export const LEVERS_HELP = `  pause <partition> [--for 30m] --reason …    stop a partition, admitted work included; without --for until resumed
  resume <partition> --reason …               end a pause, a parking or an open circuit; the rate ramps up
  rate <partition> <perSecond> [--burst n] [--concurrency n] --reason …    0 is a pause; also of an account
  lane <partition> <lane> <weight> --reason … urgent, standard, bulk, redrive
  degradation <partition> <lane> <policy> --window 2h --reason …   write down what bulk or standard gives up first:
                                              expire_oldest, coalesce or other_channel; says how many it would be
  degrade <partition> <lane> --for 2h --reason …    let what is written act for a while; --for 0s ends it
  owner <partition> <generation> --reason …   hand a partition to another consumer generation
  hold --reason …                             hold every partition; reminders are still taken and opened
  release --reason …                          let the ledger send again; the next sweep rings the pumps
  role <email> <role> --reason …              operator, viewer (looks at the console, changes nothing) or shopper
  api-key <name> [--scopes reminders,…]       make a key for the shop's backend; printed once; without --scopes it opens all
  api-keys                                    every key: its beginning, name, scopes, last use, and whether it is revoked
  revoke-api-key <beginning> --reason …       end a key by the characters it begins with`;

/** The verbs that change how a partition sends, or who may do what. */
export const LEVERS: Record<string, Verb> = {
  async pause({ argument, duration, operator, dryRun }) {
    return turned(dryRun, await pausePartition(argument(0, "partition"), duration("for"), operator()));
  },
  async resume({ argument, operator, dryRun }) {
    return turned(dryRun, await resumePartition(argument(0, "partition"), operator()));
  },
  async rate(context) {
    const { argument, operator, dryRun } = context;
    return turned(dryRun, await setLimits(argument(0, "partition"), limitsOf(context), operator()));
  },
  async lane({ argument, number, operator, dryRun }) {
    const weight = number(argument(2, "weight"), "weight");
    return turned(
      dryRun,
      await setLaneWeight(argument(0, "partition"), argument(1, "lane"), weight, operator()),
    );
  },
  async owner({ argument, number, operator, dryRun }) {
    const owner = number(argument(1, "generation"), "owner");
    return turned(dryRun, await setOwner(argument(0, "partition"), owner, operator()));
  },
  async degradation({ argument, duration, operator, dryRun }) {
    const [partition, lane] = [argument(0, "partition"), argument(1, "lane")];
    const given = { lane, policy: argument(2, "policy"), windowMs: duration("window") };
    const outcome = await writeDegradation(partition, given, operator());
    return outcome.ok ? degradationTold(partition, lane, "written", dryRun) : outcome;
  },
  async degrade({ argument, duration, operator, dryRun }) {
    const [partition, lane] = [argument(0, "partition"), argument(1, "lane")];
    const forMs = duration("for");
    if (forMs === null) throw new Usage("How long? --for 2h, at most 24h; --for 0s ends it.");
    const outcome = await switchDegradation(partition, lane, forMs === 0 ? null : forMs, operator());
    if (!outcome.ok) return outcome;
    const acted = dryRun || forMs === 0 ? 0 : await degrade(partition);
    return degradationTold(partition, lane, forMs === 0 ? "off" : "on", dryRun, acted);
  },
  hold: ({ operator }) => moded("held", operator()),
  release: ({ operator }) => moded("sending", operator()),
  async role({ argument, operator }) {
    const [email, role] = [argument(0, "email"), argument(1, "role")];
    return told(await setRole(email, role, operator()), () => answer({ ok: true }, [`${email}: ${role}.`]));
  },
  async "api-key"({ argument, dryRun, values }) {
    const [name, secret] = [argument(0, "name"), newApiSecret()];
    const scopes = readScopes(values.scopes ?? API_SCOPES.join(","));
    if (scopes === null) throw new Usage(`--scopes takes some of ${API_SCOPES.join(",")}`);
    await storeApiKey(name, secret, scopes);
    // The key of a rehearsal opens nothing, so nobody is given it.
    return dryRun ? answer({ name, scopes }, [`a key for ${name}`]) : answer({ apiKey: secret }, [secret]);
  },
  async "api-keys"() {
    const keys = await listApiKeys();
    const at = (ms: number) => new Date(ms).toISOString();
    const lines = keys.map(({ prefix, name, scopes, createdAtMs, lastUsedAtMs, revokedAtMs }) => {
      const used = lastUsedAtMs === null ? "never used" : `last used ${at(lastUsedAtMs)}`;
      const state = revokedAtMs === null ? "" : `   revoked ${at(revokedAtMs)}`;
      return `${prefix}…   ${name}   ${scopes.join(",")}   since ${at(createdAtMs)}   ${used}${state}`;
    });
    return answer({ keys }, lines.length === 0 ? ["There is no API key."] : lines);
  },
  async "revoke-api-key"({ argument, operator }) {
    const revoked = await revokeApiKey(argument(0, "beginning"), operator());
    return told(revoked, ({ name }) => answer({ ok: true, name }, [`${name}: revoked.`]));
  },
};

/** What a lane's policy would act on, and what it has just done. */
async function degradationTold(
  partition: string,
  lane: string,
  now: "written" | "on" | "off",
  dryRun: boolean,
  acted = 0,
): Promise<Result<OpsAnswer>> {
  const policy = (await readDegradations(partition)).find((one) => one.lane === lane);
  // What a rehearsal wrote is gone again.
  if (policy === undefined)
    return { ok: true, value: answer({ ok: true, partition, lane }, [`${lane}: ${now}.`]) };
  const counts = await predictDegradation(policy);
  const { degradation } = policy;
  return {
    ok: true,
    value: answer({ ok: true, now, ...policy, ...counts, acted, dryRun }, [
      `${partition}, ${lane}: ${DEGRADATION_NAME[degradation]}, ${now}.`,
      `${acted === 0 ? "" : `${acted} done. `}It concerns ${counts.affected} of ${counts.waiting} updates that wait.`,
    ]),
  };
}

async function moded(mode: "held" | "sending", operator: Operator): Promise<Result<OpsAnswer>> {
  return told(await setMode(mode, operator), (done) => answer(done, [`The ledger is ${done.mode}.`]));
}

function limitsOf({ argument, number, values }: OpsContext) {
  const { burst, concurrency } = values;
  return {
    ceiling: number(argument(1, "rate per second"), "rate"),
    ...(burst === undefined ? {} : { burst: number(burst, "burst") }),
    ...(concurrency === undefined ? {} : { concurrency: number(concurrency, "concurrency") }),
  };
}

/** A change is in force when its transaction has committed; ringing the pump only makes it seen at once. */
async function turned(dryRun: boolean, outcome: ControlOutcome): Promise<Result<OpsAnswer>> {
  if (!outcome.ok) return outcome;
  const { partition, rings } = outcome.value;
  const pumpRung = dryRun ? false : await ringPumps(rings);
  const late = pumpRung || dryRun ? "" : " The engine did not answer; the sweep rings the pump.";
  return { ok: true, value: answer({ ok: true, partition, pumpRung }, [`${partition}: done.${late}`]) };
}
