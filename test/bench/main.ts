import { parseArgs } from "node:util";
import { type Bench, isPassed, type Report } from "./bench";
import { bench as burst } from "./burst";
import { bench as cancel } from "./cancel";
import { bench as cleanup } from "./cleanup";
import { bench as consolePages } from "./console";
import { type CpuTimes, othersShare } from "./cpu";
import { bench as create } from "./create";
import { bench as drain } from "./drain";
import { bench as fairness } from "./fairness";
import { bench as herd } from "./herd";
import { bench as isolation } from "./isolation";
import { bench as lateness } from "./lateness";
import { bench as ledger } from "./ledger";
import { bench as limitDrop } from "./limit-drop";
import { bench as pages } from "./pages";
import { peers } from "./peers/main";
import { bench as load } from "./posts-while-due";
import { startProfile } from "./profile";
import { bench as recovery } from "./recovery";
import { startStage } from "./stage";
import { printTable } from "./table";
import { bench as urgent } from "./urgent";

const BENCHES: Record<string, Bench> = {
  drain,
  "limit-drop": limitDrop,
  lateness,
  herd,
  burst,
  fairness,
  isolation,
  urgent,
  cancel,
  recovery,
  create,
  load,
  ledger,
  pages,
  console: consolePages,
  cleanup,
};

/** Runs one bench by name and prints its report. Answers the exit code: 2 when the call is wrong, else 0. */
export async function main(args: string[]): Promise<number> {
  if (args[0] === "peers") return peers(args.slice(1));
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      json: { type: "boolean", default: false },
      profile: { type: "boolean", default: false },
      scale: { type: "string", default: "1" },
    },
  });
  const [name = ""] = positionals;
  const bench = BENCHES[name];
  const scale = Number(values.scale);
  if (bench === undefined || positionals.length !== 1 || !(scale > 0 && scale <= 10)) {
    console.error(usage());
    return 2;
  }
  const report = await measure(name, bench, scale, values.profile);
  if (values.json) console.log(JSON.stringify(report));
  else printTable(bench, report);
  return 0;
}

function usage(): string {
  const width = Math.max(...Object.keys(BENCHES).map((name) => name.length));
  const lines = Object.entries(BENCHES).map(([name, { question }]) => `  ${name.padEnd(width)}  ${question}`);
  return `npm run bench -- <name> [--json] [--scale 0.25] [--profile]\n\n${lines.join("\n")}\n  ${"peers".padEnd(width)}  the same work by BullMQ, pg-boss and graphile-worker on the same provider: BENCHMARKS.md`;
}

async function measure(name: string, bench: Bench, scale: number, profiled: boolean): Promise<Report> {
  const parameters = bench.parameters(scale);
  const profile = profiled ? await startProfile() : null;
  const stage = await startStage({
    rates: bench.rates,
    appEnv: profile?.appEnv,
    databaseOnly: bench.startsPrograms,
    onStarting: stopWithSignals,
  });
  try {
    profile?.watch(stage.databaseUrl);
    const before = stage.cpu();
    const figures = await bench.run(stage, parameters);
    const { targets } = bench;
    const told = { ...parameters, engine: stage.engineKind, ...cpuOf(before, stage.cpu()) };
    return { name, parameters: told, figures, targets, passed: isPassed(figures, targets) };
  } catch (error) {
    console.error(stage.tail());
    throw error;
  } finally {
    await stage.stop();
    await profile?.report();
  }
}

/** Whoever ends the bench ends its programs too. */
function stopWithSignals(stop: () => Promise<void>): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => void stop().then(() => process.exit(130)));
  }
}

/**
 * How busy the machine was with other things (above a tenth or two, the figures say more about those), and what each
 * program used, warm-up included.
 */
function cpuOf(before: CpuTimes | null, after: CpuTimes | null): Record<string, number> {
  if (before === null || after === null) return {};
  const rounded = (value: number, digits: number) => Number(value.toFixed(digits));
  const used = Object.entries(after.programs).map(([name, seconds]) => [
    `${name}CpuSeconds`,
    rounded(seconds - (before.programs[name] ?? 0), 1),
  ]);
  return { othersCpuShare: rounded(othersShare(before, after), 2), ...Object.fromEntries(used) };
}
