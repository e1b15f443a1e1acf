import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import postgres from "postgres";

/** Often enough to see waits of a few milliseconds in their proportion. */
const SAMPLE_MS = 20;

/** Kinds of waits worth a line. */
const ROWS_SHOWN = 25;

type Delay = { at: number; p50: number; p99: number; max: number; busy: number; cpuMs: number };

/**
 * Watches a run for where its time goes: what the app's connections wait for, how long its event loop is held up, and a
 * CPU profile of the app. The watching itself costs a few percent; figures of such a run are not to be quoted.
 */
export async function startProfile() {
  const folder = await mkdtemp(join(tmpdir(), "punctual-profile-"));
  const loopFile = join(folder, "event-loop.jsonl");
  const probe = fileURLToPath(new URL("./app-probe.mjs", import.meta.url));
  const counts = new Map<string, number>();
  let samples = 0;
  const over = new AbortController();
  let watching: Promise<void> | null = null;

  const sampleOn = async (databaseUrl: string) => {
    const sql = postgres(databaseUrl, { max: 1, connection: { application_name: "bench profile" } });
    while (!over.signal.aborted) {
      const rows = await sql<{ state: string; wait: string; query: string }[]>`
        select state, coalesce(wait_event_type || ':' || wait_event, 'running') as wait,
          left(regexp_replace(query, '\\s+', ' ', 'g'), 90) as query
        from pg_stat_activity where application_name = 'punctual' and state <> 'idle'`.catch(() => []);
      samples += 1;
      for (const { state, wait, query } of rows) {
        const name = `${state.padEnd(20)} ${wait.padEnd(24)} ${query}`;
        counts.set(name, (counts.get(name) ?? 0) + 1);
      }
      await sleep(SAMPLE_MS, undefined, { signal: over.signal }).catch(() => undefined);
    }
    await sql.end({ timeout: 1 }).catch(() => undefined);
  };

  return {
    appEnv: { BENCH_PROBE_FOLDER: folder, NODE_OPTIONS: `--import=${probe}` },
    watch(databaseUrl: string) {
      watching = sampleOn(databaseUrl);
    },
    async report() {
      over.abort();
      await watching;
      const busiest = [...counts].sort((one, other) => other[1] - one[1]).slice(0, ROWS_SHOWN);
      console.error(`\nconnections by what they wait for (share of ${samples} samples)`);
      for (const [name, count] of busiest) console.error(`${((count / samples) * 100).toFixed(1)}%  ${name}`);
      const delays = (await readFile(loopFile, "utf8").catch(() => "")).trim().split("\n");
      console.error("\nevent loop of the app, second by second (ms): p50 p99 max busy cpu");
      for (const line of delays.filter((text) => text !== "")) {
        const { at, p50, p99, max, busy, cpuMs } = JSON.parse(line) as Delay;
        console.error(
          `${new Date(at).toISOString().slice(14, 19)}  ${p50}  ${p99}  ${max}  ${busy}  ${cpuMs}`,
        );
      }
      console.error(`\nCPU profiles: ${folder}`);
    },
  };
}
