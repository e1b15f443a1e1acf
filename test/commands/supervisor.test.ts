import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { freePort, isPortFree } from "../../commands/ports";
import { isAlive, waitUntil } from "../../commands/processes";
import { type Child, supervise } from "../../commands/supervisor";

const PROGRAM = fileURLToPath(new URL("./fixtures/two-processes.ts", import.meta.url));

/** Starting Node twice on a machine that is busy with other tests. */
const WITHIN_MS = 20_000;

let port: number;
let lines: string[];
let listening: number;
let child: Child;

beforeEach(async () => {
  listening = 0;
  port = await freePort();
  lines = [];
  child = supervise(
    {
      name: "app",
      command: process.execPath,
      args: ["--import", "tsx", PROGRAM],
      env: { ...process.env, PORT: String(port) },
      port,
    },
    {
      print: (name, line) => lines.push(`${name}: ${line}`),
      started: () => {},
      listening: () => {
        listening += 1;
      },
    },
  );
});

afterEach(() => child.stop());

/** The process id that the server answers with; null while nobody answers. */
async function servedBy(): Promise<number | null> {
  return fetch(`http://127.0.0.1:${port}/`).then(
    async (response) => Number(await response.text()),
    () => null,
  );
}

async function servedByAnotherThan(before: number | null): Promise<number> {
  let now: number | null = null;
  await waitUntil(async () => {
    now = await servedBy();
    return now !== null && now !== before;
  }, WITHIN_MS);
  expect(now).not.toBe(before);
  return now as unknown as number;
}

test("a killed program is started again, and nothing of it is left to hold the port", async () => {
  const first = await servedByAnotherThan(null);
  process.kill(child.pid() as number, "SIGKILL");
  await servedByAnotherThan(first);
  expect(isAlive(first)).toBe(false);
  expect(lines).toContain("punctual: app was ended by SIGKILL; starting it again");
});

test("a program whose server alone was killed is started again although its parent lives", async () => {
  const first = await servedByAnotherThan(null);
  const parent = child.pid() as number;
  // Only what has listened can stop listening.
  await waitUntil(() => listening > 0, WITHIN_MS);
  process.kill(first, "SIGKILL");
  await servedByAnotherThan(first);
  expect(isAlive(parent)).toBe(false);
  expect(lines).toContain(`punctual: app no longer listens on port ${port}; starting it again`);
});

test("stop ends the program and all that it started, and lines carry its name", async () => {
  const server = await servedByAnotherThan(null);
  await child.stop();
  expect(isAlive(server)).toBe(false);
  expect(await isPortFree(port)).toBe(true);
  expect(lines).toEqual(["app: serving"]);
});

test("a supervisor that ends without stopping its program takes it along", async () => {
  const gone = fileURLToPath(new URL("./fixtures/gone-supervisor.ts", import.meta.url));
  const env = { ...process.env, PORT: String(await freePort()) };
  const pid = Number(execFileSync(process.execPath, ["--import", "tsx", gone], { env, encoding: "utf8" }));
  expect(pid).toBeGreaterThan(0);
  expect(await waitUntil(() => !isAlive(pid), WITHIN_MS)).toBe(true);
});
