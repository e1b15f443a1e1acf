import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../../commands/ports";
import { until } from "../../../commands/stack-programs";

/** A Redis server of its own, or null where there is none on this machine. */
export interface RedisServer {
  url: string;
  pid: number | null;
  stop(): Promise<void>;
}

/** Keeps an append-only file written each second, as BullMQ's documentation asks for. */
export async function startRedis(): Promise<RedisServer | null> {
  const folder = await mkdtemp(join(tmpdir(), "punctual-redis-"));
  const port = await freePort();
  const args = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder];
  args.push(
    "--save",
    "",
    "--appendonly",
    "yes",
    "--appendfsync",
    "everysec",
    "--maxmemory-policy",
    "noeviction",
  );
  const child = spawn("redis-server", args, { stdio: ["ignore", "pipe", "ignore"] });
  const stop = async () => {
    child.kill("SIGTERM");
    await rm(folder, { recursive: true, force: true });
  };
  const isThere = await cameUp(child);
  if (!isThere) {
    await stop();
    return null;
  }
  return { url: `redis://127.0.0.1:${port}`, pid: child.pid ?? null, stop };
}

async function cameUp(child: ChildProcess): Promise<boolean> {
  let said = "";
  let failed = false;
  child.on("error", () => {
    failed = true;
  });
  child.stdout?.on("data", (chunk) => {
    said += String(chunk);
  });
  await until("Redis is ready", 10_000, async () => failed || said.includes("Ready to accept"));
  return !failed;
}
