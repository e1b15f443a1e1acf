// Loaded into the profiled app by `--import`: writes how long its event loop was held up, once a second, and a CPU
// profile at its end.
import { appendFileSync, writeFileSync } from "node:fs";
import { Session } from "node:inspector";
import { join } from "node:path";
import { monitorEventLoopDelay, performance } from "node:perf_hooks";

const folder = process.env.BENCH_PROBE_FOLDER;
if (folder) {
  watchEventLoop(join(folder, "event-loop.jsonl"));
  profileCpu(join(folder, `app-${process.pid}.cpuprofile`));
}

function watchEventLoop(file) {
  const delay = monitorEventLoopDelay({ resolution: 2 });
  delay.enable();
  let lastLoop = performance.eventLoopUtilization();
  let lastCpu = process.cpuUsage();
  const ms = (nanoseconds) => Math.round(nanoseconds / 1e5) / 10;
  setInterval(() => {
    const loop = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(loop, lastLoop);
    const cpu = process.cpuUsage();
    const cpuMs = (cpu.user - lastCpu.user + cpu.system - lastCpu.system) / 1000;
    [lastLoop, lastCpu] = [loop, cpu];
    const row = {
      at: Date.now(),
      p50: ms(delay.percentile(50)),
      p99: ms(delay.percentile(99)),
      max: ms(delay.max),
      busy: Math.round(utilization * 100) / 100,
      cpuMs: Math.round(cpuMs),
    };
    appendFileSync(file, `${JSON.stringify(row)}\n`);
    delay.reset();
  }, 1000).unref();
}

function profileCpu(file) {
  const session = new Session();
  session.connect();
  session.post("Profiler.enable");
  session.post("Profiler.start");
  process.once("exit", () => {
    session.post("Profiler.stop", (_, result) => {
      if (result) writeFileSync(file, JSON.stringify(result.profile));
    });
  });
}
