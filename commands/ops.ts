import {
  type ControlOutcome,
  pausePartition,
  resumePartition,
  setLaneWeight,
  setLimits,
  setOwner,
} from "../db/admission/controls";
import { newApiSecret, storeApiKey } from "../db/api-keys";
import { closeDatabase } from "../db/connection";
import { readForecastAccuracy } from "../db/console/forecast-accuracy";
import { checkInvariants } from "../db/console/invariants";
import { readPartitionHealth } from "../db/console/partitions";
import { setRole } from "../db/roles";
import { problemDetail, type Result } from "../db/rules/errors";
import { inngest } from "../inngest/client";
import { ringPumps } from "../inngest/dispatch";
import { loadEnvironmentFiles } from "./environment-files";
import { argument, duration, number, operator as operatorOf, readCommandLine, Usage } from "./ops-arguments";
import { showCapacity } from "./ops-capacity";
import { OPERATIONS, OPERATIONS_HELP, type OpsAnswer } from "./ops-operations";
import { REDRIVE_HELP, runDeadLetters, runRedrive } from "./ops-redrive";
import { SUPPRESSIONS, SUPPRESSIONS_HELP } from "./ops-suppressions";
import { pointAtLocalStack } from "./ops-target";

const HELP = `Operators' command line. Every verb takes --json; a change takes --reason and says who by --as (default: your user);\n--dry-run shows what run, drain and promote would do.

  invariants                                  the promises, asked of the database; ends with 1 when one is broken
  partitions                                  every partition: rate, ceiling, what closes it, lanes and their age
  forecast [--since 24h]                      how good the forecasts of accepted deliveries were
  pause <partition> [--for 30m] --reason …    stop a partition, admitted work included; without --for until resumed
  resume <partition> --reason …               end a pause, a parking or an open circuit; the rate ramps up
  rate <partition> <perSecond> [--burst n] [--concurrency n] --reason …    0 is a pause; also of an account
  lane <partition> <lane> <weight> --reason … urgent, standard, bulk, redrive
  owner <partition> <generation> --reason …   hand a partition to another consumer generation
  capacity [--burst 14400]                    what a burst would meet, forecasts beside what happened, cost per million
  role <email> <role> --reason …              operator, viewer (looks at the console, changes nothing) or shopper
${REDRIVE_HELP}
${OPERATIONS_HELP}
${SUPPRESSIONS_HELP}
  api-key <name>                              make a key for the shop's backend; printed once

It acts on DATABASE_URL, or on the stack of \`npm run dev\` when that is not set.`;

const DAY_MS = 86_400_000;

const { values, positionals } = readCommandLine();

// A reader that has seen enough (`| head`) is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

main()
  .catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = error instanceof Usage ? 2 : 1;
  })
  .finally(closeDatabase);

async function main(): Promise<void> {
  const [verb, ...rest] = positionals;
  if (values.help || verb === undefined) {
    console.log(HELP);
    return;
  }
  loadEnvironmentFiles();
  await pointAtLocalStack();
  // The client was made before the settings of the stack were known.
  inngest.setEnvVars(process.env);
  switch (verb) {
    case "invariants":
      return showInvariants();
    case "partitions":
      return showPartitions();
    case "forecast":
      return showForecastAccuracy(duration(values.since) ?? DAY_MS);
    case "capacity":
      return showCapacity(number(values.burst ?? "14400", "burst"), values.json);
    case "pause":
      return report(await pausePartition(argument(rest, 0, "partition"), duration(values.for), operator()));
    case "resume":
      return report(await resumePartition(argument(rest, 0, "partition"), operator()));
    case "rate":
      return report(
        await setLimits(
          argument(rest, 0, "partition"),
          {
            ceiling: number(argument(rest, 1, "rate per second"), "rate"),
            ...(values.burst === undefined ? {} : { burst: number(values.burst, "burst") }),
            ...(values.concurrency === undefined
              ? {}
              : { concurrency: number(values.concurrency, "concurrency") }),
          },
          operator(),
        ),
      );
    case "lane": {
      const weight = number(argument(rest, 2, "weight"), "weight");
      return report(
        await setLaneWeight(argument(rest, 0, "partition"), argument(rest, 1, "lane"), weight, operator()),
      );
    }
    case "owner":
      return report(
        await setOwner(
          argument(rest, 0, "partition"),
          number(argument(rest, 1, "generation"), "owner"),
          operator(),
        ),
      );
    case "role": {
      const outcome = await setRole(argument(rest, 0, "email"), argument(rest, 1, "role"), operator());
      if (!outcome.ok) throw new Usage(problemDetail(outcome.problem));
      console.log(values.json ? JSON.stringify({ ok: true }) : `${rest[0]}: ${rest[1]}.`);
      return;
    }
    case "dead-letters":
      return runDeadLetters(rest, values);
    case "redrive":
      return runRedrive(rest, values);
    case "api-key":
      return makeApiKey(argument(rest, 0, "name"));
    default: {
      const operation = OPERATIONS[verb] ?? SUPPRESSIONS[verb];
      if (operation !== undefined) return tell(await operation(contextOf(rest)));
      throw new Usage(`There is no verb "${verb}".\n\n${HELP}`);
    }
  }
}

async function makeApiKey(name: string): Promise<void> {
  const secret = newApiSecret();
  await storeApiKey(name, secret);
  console.log(values.json ? JSON.stringify({ apiKey: secret }) : secret);
}

function contextOf(rest: readonly string[]) {
  return {
    rest,
    dryRun: values["dry-run"],
    argument: (index: number, name: string) => argument(rest, index, name),
    number,
    duration,
    values,
    operator,
  };
}

function tell(result: OpsAnswer | Result<OpsAnswer>): void {
  if ("problem" in result) throw new Usage(problemDetail(result.problem));
  const answer = "value" in result ? result.value : result;
  if (!answer.ok) process.exitCode = 1;
  console.log(values.json ? JSON.stringify(answer.json) : answer.lines.join("\n"));
}

const operator = () => operatorOf(values);

/** A change is in force when its transaction has committed; ringing the pump only makes it seen at once. */
async function report(outcome: ControlOutcome): Promise<void> {
  if (!outcome.ok) throw new Usage(problemDetail(outcome.problem));
  const rung = await ringPumps([outcome.value.ring, ...outcome.value.senders]);
  if (values.json)
    console.log(JSON.stringify({ ok: true, partition: outcome.value.partition, pumpRung: rung }));
  else
    console.log(
      `${outcome.value.partition}: done.${rung ? "" : " The engine did not answer; the sweep rings the pump."}`,
    );
}

async function showInvariants(): Promise<void> {
  const invariants = await checkInvariants();
  if (!invariants.ok) process.exitCode = 1;
  if (values.json) {
    console.log(JSON.stringify(invariants));
    return;
  }
  for (const { promise, name, violations, sample } of invariants.checks) {
    const count = violations === 0 ? "kept" : `BROKEN ${violations}`;
    console.log(`${promise}  ${count.padEnd(11)} ${name}`);
    for (const key of sample) console.log(`                ${key}`);
  }
}

async function showForecastAccuracy(sinceMs: number): Promise<void> {
  const accuracy = await readForecastAccuracy(sinceMs);
  if (values.json) {
    console.log(JSON.stringify({ accuracy }));
    return;
  }
  if (accuracy.length === 0) console.log("No delivery that was forecast has been accepted in that time.");
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  for (const { channel, lane, count, ...error } of accuracy) {
    const within = `${Math.round(error.withinRange * 100)} % within the range`;
    console.log(
      `${channel.padEnd(6)} ${lane.padEnd(9)} ${count} forecasts   median ${seconds(error.errorP50Ms)} late   off by ${seconds(error.absoluteP50Ms)}, nine in ten by ${seconds(error.absoluteP90Ms)} at most   ${within}`,
    );
  }
}

async function showPartitions(): Promise<void> {
  const partitions = await readPartitionHealth();
  if (values.json) {
    console.log(JSON.stringify({ partitions }));
    return;
  }
  if (partitions.length === 0)
    console.log("There is no partition yet: the first delivery of a channel makes its own.");
  for (const partition of partitions) {
    const rate = `${partition.rate.toFixed(1)}/s of ${Math.min(partition.ceiling, partition.observedCeiling ?? partition.ceiling)}/s`;
    const until =
      partition.closedUntilMs === null ? "" : ` until ${new Date(partition.closedUntilMs).toISOString()}`;
    console.log(
      `${partition.partition}   ${rate}   ${partition.closed === null ? "open" : `${partition.closed}${until}`}`,
    );
    for (const lane of partition.lanes) {
      if (lane.ready + lane.waiting + lane.sending === 0) continue;
      const age =
        lane.oldestOverdueMs === null ? "" : `   oldest ${(lane.oldestOverdueMs / 1000).toFixed(1)} s late`;
      console.log(
        `  ${lane.lane.padEnd(9)} ready ${lane.ready}   waiting ${lane.waiting}   sending ${lane.sending}${age}`,
      );
    }
  }
}
