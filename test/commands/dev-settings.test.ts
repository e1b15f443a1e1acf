import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { keepSecrets, readPorts, stackEnvironment } from "../../commands/dev-settings";
import { readConfig } from "../../db/config";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "punctual-settings-"));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

test("the local stack's settings are ones that the app accepts", async () => {
  const secrets = await keepSecrets(join(folder, "secrets.json"));
  const ports = readPorts({ PORT: "3100" });
  const env = stackEnvironment(ports, "postgres://punctual:x@127.0.0.1:54329/punctual", secrets);
  const config = readConfig(env);
  expect(config.appUrl).toBe("http://127.0.0.1:3100");
  expect(config.resend.baseUrl).toBe("http://127.0.0.1:4010/resend");
  expect(config.webPush?.extraHosts).toEqual(["127.0.0.1:4010", "localhost:4010"]);
});

test("secrets are made once, kept for their owner alone, and completed when one is missing", async () => {
  const file = join(folder, "secrets.json");
  const first = await keepSecrets(file);
  expect(await keepSecrets(file)).toEqual(first);
  expect((await stat(file)).mode & 0o077).toBe(0);

  const { AUTH_SECRET, ...older } = first;
  await writeFile(file, JSON.stringify(older));
  const completed = await keepSecrets(file);
  expect({ ...completed, AUTH_SECRET }).toEqual(first);
  expect(completed.AUTH_SECRET).toHaveLength(43);
  expect(JSON.parse(await readFile(file, "utf8"))).toEqual(completed);
});

test.each([
  [{ PORT: "web" }, "PORT must be a port"],
  [{ STANDINS_PORT: "0" }, "STANDINS_PORT must be a port"],
  [{ ENGINE_PORT: "65536" }, "ENGINE_PORT must be a port"],
  [{ PORT: "4010" }, "must differ"],
])("%j is refused by name", (env, sentence) => {
  expect(() => readPorts(env)).toThrow(sentence);
});
