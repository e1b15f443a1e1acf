import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { startStage } from "../stage";
import { PEERS } from "./all";
import { measureOurselves, measurePeer, type Run, type Workload } from "./measure";
import { startRedis } from "./redis";
import { plot, table } from "./report";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const BEGIN = "<!-- measured: begin -->";
const END = "<!-- measured: end -->";

const workloads = (scale: number): Record<string, Workload> => ({
  drain: { title: "A steady limit", ratePerSecond: 100, deliveries: Math.round(3000 * scale) },
  "limit-drop": {
    title: "The limit drops to 40 % for ten seconds",
    ratePerSecond: 100,
    deliveries: Math.round(2000 * scale),
    drop: { afterSeconds: 3 * scale, seconds: 10 * scale, share: 0.4 },
  },
});

/**
 * `npm run bench -- peers [--scale 0.25] [--repeats 3] [--only drain] [--write]`: Punctual and its peers, one after the
 * other and round by round, on one machine and one stand-in. `--write` puts the tables and plots into BENCHMARKS.md.
 */
export async function peers(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      scale: { type: "string", default: "1" },
      repeats: { type: "string", default: "3" },
      only: { type: "string", default: "drain,limit-drop" },
      write: { type: "boolean", default: false },
    },
  });
  const all = workloads(Number(values.scale));
  const wanted = values.only.split(",").flatMap((name) => all[name] ?? []);
  const repeats = Number(values.repeats);
  if (wanted.length === 0 || !(repeats >= 1) || !(Number(values.scale) > 0)) {
    console.error(
      `--only takes any of ${Object.keys(all).join(", ")}; --repeats and --scale are numbers above 0.`,
    );
    return 2;
  }
  const runs = await runAll(wanted, repeats);
  const parts = wanted.map(({ title }) => ({ title, of: runs.filter((run) => run.workload === title) }));
  for (const { title, of } of parts) console.log(`\n${title}\n\n${table(of)}`);
  if (values.write) await write(parts, repeats, values.scale);
  return 0;
}

async function runAll(wanted: readonly Workload[], repeats: number): Promise<Run[]> {
  const redis = await startRedis();
  if (redis === null) console.error("There is no redis-server here: BullMQ is left out.");
  const runs: Run[] = [];
  const note = (run: Run | null) => {
    if (run === null) return;
    runs.push(run);
    console.error(JSON.stringify(run));
  };
  for (let round = 0; round < repeats; round += 1) {
    for (const workload of wanted) {
      const stage = await startStage({ rates: { email: workload.ratePerSecond } });
      try {
        note(await measureOurselves(stage, workload));
        for (const name of Object.keys(PEERS)) {
          const failed = (error: unknown) => {
            console.error(`${name} could not be measured: ${error instanceof Error ? error.message : error}`);
            return null;
          };
          note(await measurePeer(stage, redis, name, workload).catch(failed));
        }
      } finally {
        await stage.stop();
      }
    }
  }
  await redis?.stop();
  return runs;
}

async function write(
  parts: readonly { title: string; of: readonly Run[] }[],
  repeats: number,
  scale: string,
): Promise<void> {
  const folder = join(ROOT, "docs/benchmarks");
  await mkdir(folder, { recursive: true });
  const sections: string[] = [];
  for (const { title, of } of parts) {
    const file = `${title
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-|-$/g, "")}.svg`;
    await writeFile(join(folder, file), plot(title, of));
    sections.push(`### ${title}\n\n${table(of)}\n\n![${title}](docs/benchmarks/${file})`);
  }
  const when = new Date().toISOString().slice(0, 10);
  const head = `${when}, \`npm run bench -- peers --repeats ${repeats} --scale ${scale} --write\`, Node ${process.versions.node}.`;
  const path = join(ROOT, "BENCHMARKS.md");
  const text = await readFile(path, "utf8");
  const [before, rest = ""] = text.split(BEGIN);
  const after = rest.split(END)[1] ?? "";
  await writeFile(path, `${before}${BEGIN}\n\n${head}\n\n${sections.join("\n\n")}\n\n${END}${after}`);
}
