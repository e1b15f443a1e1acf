import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "./ports";
import type { ChildPlan } from "./supervisor";

export type EngineKind = "inngest-dev-server" | "stand-in";

type Choice = { kind: EngineKind; plan: ChildPlan };

/** Where the dev server listens when nobody says otherwise. */
const USUAL_PORT = 8288;

/** The engine counts its users, and even `version` looks for a newer one, over a network that may not answer. */
const UNTRACKED = { DO_NOT_TRACK: "1" };

/** A binary answers `version` in well under a second; one for another machine may hang. */
const PROBE_TIMEOUT_MS = 10_000;

/**
 * The real Inngest dev server where its binary is at hand, else the stand-in engine. `INNGEST_CLI_PATH` names a binary;
 * without it the optional package `inngest-cli` is looked at, whose installer may have failed to fetch the binary and
 * left a wrapper that cannot run: so it is asked, not just found. Throws when a named binary does not run.
 */
export async function chooseEngine(root: string, port: number, appUrl: string): Promise<Choice> {
  const binary = findBinary(root);
  const base = { name: "engine", env: { ...process.env, ...UNTRACKED }, port };
  if (binary === null) {
    const main = join(root, "standins/engine/main.ts");
    // It reads ENGINE_PORT and APP_URL.
    return {
      kind: "stand-in",
      plan: { ...base, command: process.execPath, args: ["--import", "tsx", main] },
    };
  }
  const serve = [
    "dev",
    "--no-discovery",
    "-u",
    `${appUrl}/api/inngest`,
    "--host",
    "127.0.0.1",
    "--log-level",
    "warn",
  ];
  const args = [...serve, "--port", String(port), ...(port === USUAL_PORT ? [] : await movedPorts())];
  return { kind: "inngest-dev-server", plan: { ...base, command: binary, args } };
}

/** The dev server listens on three more ports, which a second stack on the machine must not share with the first. */
async function movedPorts(): Promise<string[]> {
  const names = ["connect-gateway-port", "connect-gateway-grpc-port", "connect-executor-grpc-port"];
  const ports = await Promise.all(names.map(() => freePort()));
  return names.flatMap((name, index) => [`--${name}`, String(ports[index])]);
}

function findBinary(root: string): string | null {
  const named = process.env.INNGEST_CLI_PATH?.trim();
  if (named) {
    const refusal = whyNotRunnable(named);
    if (refusal === null) return named;
    throw new Error(
      `INNGEST_CLI_PATH names ${named}, which does not run: ${refusal}. Correct it or leave it out.`,
    );
  }
  const suffix = process.platform === "win32" ? ".cmd" : "";
  const installed = ["inngest-cli", "inngest"].map((name) => join(root, "node_modules/.bin", name + suffix));
  return installed.find((path) => existsSync(path) && whyNotRunnable(path) === null) ?? null;
}

function whyNotRunnable(path: string): string | null {
  const probe = spawnSync(path, ["version"], {
    encoding: "utf8",
    env: { ...process.env, ...UNTRACKED },
    timeout: PROBE_TIMEOUT_MS,
    shell: path.endsWith(".cmd"),
  });
  if (probe.error) return probe.error.message;
  if (probe.status !== 0) return `"version" ended with ${probe.status ?? probe.signal}`;
  return /\d+\.\d+/.test(probe.stdout) ? null : '"version" told no version';
}
