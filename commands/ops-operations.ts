import { pausePartition } from "../db/admission/controls";
import { readCertainty } from "../db/cleanup/certainty";
import { cleanLedger } from "../db/cleanup/clean";
import { countRemovable } from "../db/cleanup/remove";
import { approveRetention, readRetention, setRetention, switchCleanup } from "../db/cleanup/retention";
import { readCleanupRuns, readCleanupSwitch } from "../db/cleanup/runs";
import { database } from "../db/connection";
import { explain, explanationLines } from "../db/console/explain";
import { readAnswers } from "../db/console/questions";
import { checkGate, GATE_WINDOW_MS, readSlos, setSlo } from "../db/console/slos";
import { readVersions } from "../db/console/versions";
import { readReports } from "../db/dead-letter-reports";
import { effects } from "../db/effects";
import { promoteLedger } from "../db/restore/promote";
import type { Result } from "../db/rules/errors";
import { reportHeading, reportLine } from "../db/rules/report-words";
import { gateLines } from "../db/rules/slo";
import { makeSignInLink } from "../db/sign-in-links";
import { ringPumps } from "../inngest/dispatch";
import { sweep } from "../inngest/sweep";
import { answer, type OpsAnswer, type OpsContext, told, type Verb } from "./ops-verbs";

export const OPERATIONS_HELP = `  questions [--since 15m]                     the four questions: age, delays, dead, refused claims
  gate [--since 15m]                          measures against the service levels; ends with 1 when one fails
  slo <channel> <lane> <measure> <value> --reason …   p99AgeMs, p99DueToAcceptedMs, throttledShare, deadPerThousand
  slos                                        what every channel and lane promises
  explain <key>                               why a delivery is where it is, step by step
  drain <partition> [--for 60s] --reason …    pause it and wait until its last lease has ended; 1 when one remains
  versions                                    generations, owners and migrations that meet on this ledger
  cleanup [run | on | off | runs] [--reason …]        what may go now; a pass; the switch; the last passes
  retention [<state> <days> --reason …]       how long each state is kept; a change withdraws both approvals
  approve <state> <slo|records> --reason …    one of the two approvals of a state's retention
  reports                                     the last dead-letter reports
  sign-in-link <email> --reason …             a link for an operator when email is broken; five minutes, once
  promote --snapshot-at <time> --reason …     let a restored copy send; LEDGER_GENERATION names its new generation`;

/** How long a drain waits: a lease of the slowest channel, and half of another. */
const DRAIN_MS = 60_000;

const DRAIN_LOOK_MS = 1_000;

const seconds = (ms: number | null) => (ms === null ? "-" : `${(ms / 1000).toFixed(1)} s`);

/** The verbs of this file by name. */
export const OPERATIONS: Record<string, Verb> = {
  async questions({ duration }) {
    const answers = await readAnswers(duration("since") ?? GATE_WINDOW_MS);
    const queues = answers.queues.filter((row) => row.ready + row.waiting + row.sending > 0);
    const lines = [
      ...queues.map(
        (row) =>
          `${row.partition} ${row.lane}: ready ${row.ready}, oldest ${seconds(row.oldestReadyMs)}, most overdue ${seconds(row.oldestOverdueMs)}, drained in ${seconds(row.drainMs)}`,
      ),
      ...answers.delays
        .filter((row) => row.attempted > 0)
        .map(
          (row) =>
            `${row.channel} ${row.lane}: ${row.attempted} attempted, ${row.byAdmission} delayed by admission, ${row.byThrottling} by 429; ${row.accepted} accepted, ${row.died} died, due to sent p99 ${seconds(row.dueToAcceptedP99Ms)}`,
        ),
      ...answers.dead.map((row) => `${row.partition}: ${row.count} dead, ${row.reason}`),
      ...answers.refused.map((row) => `${row.partition}: ${row.total} claims refused, ${row.reason}`),
    ];
    const idle = "Nothing waits, nothing was tried, nothing is dead and no claim was refused.";
    return answer(answers, [
      `since ${new Date(answers.sinceMs).toISOString()}:`,
      ...(lines.length === 0 ? [idle] : lines),
    ]);
  },
  async gate({ duration }) {
    const gate = await checkGate(duration("since") ?? GATE_WINDOW_MS);
    return answer(gate, gateLines(gate), gate.ok);
  },
  async slos() {
    const slos = await readSlos();
    const lines = slos.map(
      (row) =>
        `${row.channel} ${row.lane}: p99 age ${seconds(row.p99AgeMs)}, due to accepted ${seconds(row.p99DueToAcceptedMs)}, 429 share ${row.throttledShare}, dead per 1000 ${row.deadPerThousand}`,
    );
    return answer({ slos }, lines);
  },
  async slo({ argument, number, operator }) {
    const [channel, lane, measure] = [argument(0, "channel"), argument(1, "lane"), argument(2, "measure")];
    const change = { [measure]: number(argument(3, "value"), "value") };
    return told(await setSlo(channel, lane, change, operator()), (slo) => answer(slo, ["done."]));
  },
  async explain({ argument }) {
    const found = await explain(argument(0, "key"));
    if (found === null) return { ok: false, problem: { code: "not_found", what: "delivery" } };
    return answer(found, explanationLines(found));
  },
  async drain(context) {
    const partition = context.argument(0, "partition");
    const leased = async () =>
      (await readAnswers(GATE_WINDOW_MS)).queues
        .filter((row) => row.partition === partition)
        .reduce((sum, row) => sum + row.sending, 0);
    if (context.dryRun) {
      const sending = await leased();
      return answer({ partition, sending, dryRun: true }, [
        `${partition}: ${sending} calls would be waited for.`,
      ]);
    }
    const paused = await pausePartition(partition, null, context.operator());
    if (!paused.ok) return paused;
    await ringPumps(paused.value.rings);
    const patienceMs = context.duration("for") ?? DRAIN_MS;
    let sending = await leased();
    for (let waitedMs = 0; sending > 0 && waitedMs < patienceMs; waitedMs += DRAIN_LOOK_MS) {
      await effects.sleep(DRAIN_LOOK_MS);
      sending = await leased();
    }
    const line = sending === 0 ? "paused, and no lease is left." : `paused, but ${sending} leases are left.`;
    return answer({ partition, sending, dryRun: false }, [`${partition}: ${line}`], sending === 0);
  },
  async versions() {
    const versions = await readVersions();
    const { ledger } = versions;
    const same = ledger.stored === null || ledger.stored === ledger.present;
    return answer(versions, [
      `ledger generation ${ledger.generation}, this process ${versions.processGeneration}, ${ledger.mode}`,
      `installation ${ledger.present}${same ? "" : ` differs from ${ledger.stored}: held until promoted`}`,
      `migrations ${versions.migrations}, Postgres ${versions.postgres}, Node ${versions.node}`,
      ...versions.owners.map(
        (row) =>
          `${row.partition}: owner ${row.owner}, ${row.live} live rows, ${row.foreign} of another owner`,
      ),
    ]);
  },
  cleanup,
  async retention({ rest, argument, number, operator }) {
    if (rest.length > 0) {
      const days = number(argument(1, "days"), "days");
      return told(await setRetention(argument(0, "state"), days, operator()), (value) =>
        answer(value, [`${value.state}: ${value.keepDays} days; it needs both approvals again.`]),
      );
    }
    const retention = await readRetention();
    const lines = retention.map(
      (row) =>
        `${row.state}: ${row.keepDays} days; SLO owner ${row.sloOwner ?? "open"}, records owner ${row.recordsOwner ?? "open"}`,
    );
    return answer({ retention }, lines);
  },
  async approve({ argument, operator }) {
    const approved = await approveRetention(argument(0, "state"), argument(1, "role"), operator());
    return told(approved, (row) =>
      answer(row, [`${row.state}: ${row.approved ? "approved by both" : "one approval is missing"}.`]),
    );
  },
  async reports() {
    const reports = await readReports(24);
    const lines = reports.flatMap((report) => [
      `${new Date(report.slotMs).toISOString()}  ${reportHeading(report)}`,
      ...report.groups.filter((group) => group.change !== 0).map((group) => `  ${reportLine(group)}`),
    ]);
    return answer({ reports }, lines.length === 0 ? ["There is no report yet."] : lines);
  },
  async "sign-in-link"({ argument, operator, dryRun }) {
    const appUrl = process.env.APP_URL?.trim() || "http://127.0.0.1:3000";
    return told(await makeSignInLink(argument(0, "email"), appUrl, operator()), (link) =>
      // The link of a rehearsal opens nothing, so nobody is given it.
      dryRun
        ? answer({ minutes: link.minutes }, [`a link for ${argument(0, "email")}`])
        : answer(link, [link.url, `It works once, within ${link.minutes} minutes.`]),
    );
  },
  async promote({ values, operator, dryRun }) {
    const snapshotAtMs = Date.parse(values["snapshot-at"] ?? "");
    if (!dryRun) await sweep("command");
    const promoted = await promoteLedger({ snapshotAtMs, operator: operator() });
    // Every pump was replaced; the sweep rings them.
    if (promoted.ok && !dryRun) await sweep("command");
    return told(promoted, (done) =>
      answer(done, [
        `Promoted as generation ${done.generation}: ${done.unknown} of unknown outcome, ${done.repeated} go on under their key.`,
      ]),
    );
  },
};

async function cleanup({ rest, operator, dryRun }: OpsContext): Promise<OpsAnswer | Result<OpsAnswer>> {
  switch (rest[0]) {
    case "on":
    case "off":
      return told(await switchCleanup(rest[0] === "on", operator()), (state) =>
        answer(state, [`Cleanup is ${state.on ? "on" : "off"}.`]),
      );
    case "runs": {
      const runs = await readCleanupRuns(20);
      const lines = runs.map(
        (run) =>
          `${new Date(run.startedAtMs).toISOString()}  ${run.outcome} ${run.removed}${run.why === null ? "" : `: ${run.why}`}`,
      );
      return answer({ runs }, lines.length === 0 ? ["There was no pass yet."] : lines);
    }
    case "run":
      if (!dryRun) {
        const done = await cleanLedger();
        const why = done.why === null ? "" : ` (${done.why})`;
        return answer(done, [`Removed ${done.removed}${why}.`], done.why === null);
      }
      break;
  }
  const removable = await countRemovable();
  const state = { switch: await readCleanupSwitch(), certainty: await readCertainty(database()), removable };
  const closed = state.switch.on ? state.certainty.why : `switched off by ${state.switch.offBy}`;
  return answer(state, [
    `Cleanup is ${closed === null ? "open" : `closed: ${closed}`}.`,
    ...removable.map(
      (row) => `${row.state}${row.reason === null ? "" : ` ${row.reason}`}: ${row.count} may go`,
    ),
  ]);
}
