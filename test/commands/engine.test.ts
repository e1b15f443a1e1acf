import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { chooseEngine } from "../../commands/engine";

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "punctual-engine-"));
});

afterEach(async () => {
  delete process.env.INNGEST_CLI_PATH;
  await rm(root, { recursive: true, force: true });
});

async function program(path: string, text: string): Promise<string> {
  await mkdir(join(path, ".."), { recursive: true });
  await writeFile(path, `#!/bin/sh\n${text}\n`);
  await chmod(path, 0o755);
  return path;
}

const choose = () => chooseEngine(root, 8288, "http://127.0.0.1:3000");

test("without a binary the stand-in engine is taken", async () => {
  expect((await choose()).kind).toBe("stand-in");
});

test("a wrapper whose binary was never downloaded is not taken for the real one", async () => {
  await program(join(root, "node_modules/.bin/inngest-cli"), 'echo "binary not found" >&2; exit 1');
  expect((await choose()).kind).toBe("stand-in");
});

test("an installed binary that runs is taken, and told where the app is", async () => {
  const binary = await program(join(root, "node_modules/.bin/inngest-cli"), "echo 1.45.1-abc");
  const { kind, plan } = await choose();
  expect(kind).toBe("inngest-dev-server");
  expect(plan.command).toBe(binary);
  expect(plan.args).toEqual(
    expect.arrayContaining(["dev", "--no-discovery", "http://127.0.0.1:3000/api/inngest", "8288"]),
  );
});

test("a binary that asks the network for a newer one is not kept waiting for it when it is looked at", async () => {
  await program(
    join(root, "node_modules/.bin/inngest-cli"),
    'echo 1.45.1-abc; [ -n "$DO_NOT_TRACK" ] || exit 1',
  );
  const { kind, plan } = await choose();
  expect([kind, plan.env.DO_NOT_TRACK]).toEqual(["inngest-dev-server", "1"]);
});

test("beside another stack it listens on none of the usual ports", async () => {
  await program(join(root, "node_modules/.bin/inngest-cli"), "echo 1.45.1-abc");
  const { plan } = await chooseEngine(root, 8388, "http://127.0.0.1:3100");
  const moved = ["--connect-gateway-port", "--connect-gateway-grpc-port", "--connect-executor-grpc-port"];
  expect(plan.args).toEqual(expect.arrayContaining(moved));
});

test("INNGEST_CLI_PATH goes before what is installed, and is refused when it does not run", async () => {
  await program(join(root, "node_modules/.bin/inngest-cli"), "echo 1.45.1-abc");
  process.env.INNGEST_CLI_PATH = await program(join(root, "mine"), "echo 1.50.0-def");
  expect((await choose()).plan.command).toBe(join(root, "mine"));
  process.env.INNGEST_CLI_PATH = join(root, "absent");
  await expect(choose()).rejects.toThrow(/INNGEST_CLI_PATH names .*absent, which does not run/);
});
