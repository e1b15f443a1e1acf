import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { freePort } from "../../commands/ports";
import { type PostgresOptions, type PostgresServer, startPostgres } from "../../commands/postgres";
import { isAlive } from "../../commands/processes";
import { withConnection } from "../support/clones";

const OWNER = fileURLToPath(new URL("./fixtures/own-postgres.ts", import.meta.url));

let folder: string;
let running: PostgresServer[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "punctual-postgres-test-"));
  await chmod(folder, 0o755);
  running = [];
});

afterEach(async () => {
  for (const server of running) await server.stop();
  await rm(folder, { recursive: true, force: true });
});

async function start(options: Partial<PostgresOptions> = {}): Promise<PostgresServer> {
  const dataDir = join(folder, "data");
  const server = await startPostgres({ dataDir, durable: false, log: () => {}, ...options });
  running.push(server);
  return server;
}

function ask(url: string, question: string): Promise<unknown> {
  return withConnection(url, async (sql) => (await sql.unsafe(question))[0]?.answer);
}

/** A second process that owns a server on the folder. */
async function startOwner(dataDir: string) {
  const owner = spawn(process.execPath, ["--import", "tsx", OWNER, dataDir], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(createInterface(owner.stdout), "line")) as [string];
  return { owner, server: JSON.parse(line) as { pid: number; url: string } };
}

test("a server starts on an empty folder, sorts by code point and keeps its data over a restart", async () => {
  const first = await start({ durable: true });
  await ask(first.url, "create table kept as select 42 as answer");
  expect(
    await ask(first.url, "select string_agg(x, '' order by x) as answer from unnest('{a,B,ä,Z}'::text[]) x"),
  ).toBe("BZaä");
  expect(await ask(first.url, "select current_user || '/' || current_database() as answer")).toBe(
    "punctual/punctual",
  );
  await first.stop();
  expect(isAlive(first.pid)).toBe(false);

  const second = await start({ durable: true });
  expect(await ask(second.url, "select answer from kept")).toBe(42);
});

test("a connection without the password is refused", async () => {
  const server = await start();
  const url = new URL(server.url);
  url.password = "guess";
  await expect(ask(url.toString(), "select 1 as answer")).rejects.toThrow(/password authentication failed/);
});

test("a taken port is left for a free one, unless only that port will do", async () => {
  const other = createServer();
  const port = await freePort();
  await new Promise<void>((done) => other.listen(port, "127.0.0.1", done));
  const server = await start({ port });
  expect(server.port).not.toBe(port);
  await server.stop();
  await expect(start({ port, exactPort: true })).rejects.toThrow(
    new RegExp(`127.0.0.1:${port}: another program`),
  );
  other.close();
});

test("after a kill -9 of the server it starts again at the same address with what was committed", async () => {
  const first = await start({ durable: true });
  await ask(first.url, "create table kept as select 42 as answer");
  process.kill(first.pid, "SIGKILL");
  await first.exited;

  const second = await start({ durable: true, port: first.port, exactPort: true });
  expect(second.url).toBe(first.url);
  expect(await ask(second.url, "select answer from kept")).toBe(42);
});

test("after a kill -9 of the owner the server that it left is ended and the data opened anew", async () => {
  const dataDir = join(folder, "data");
  const { owner, server } = await startOwner(dataDir);
  await ask(server.url, "create table kept as select 42 as answer");
  owner.kill("SIGKILL");
  await once(owner, "exit");
  expect(isAlive(server.pid)).toBe(true);

  const lines: string[] = [];
  const next = await start({ log: (line) => lines.push(line) });
  expect(isAlive(server.pid)).toBe(false);
  expect(lines).toContain(
    `stopping the database server that an earlier run left behind (process ${server.pid})`,
  );
  expect(await ask(next.url, "select answer from kept")).toBe(42);
});

test("a second owner of the same folder is refused by name and the first one's server is left alone", async () => {
  const { owner, server } = await startOwner(join(folder, "data"));
  try {
    await expect(start()).rejects.toThrow(`already run by process ${owner.pid}`);
    expect(await ask(server.url, "select 1 as answer")).toBe(1);
  } finally {
    owner.kill("SIGTERM");
    await once(owner, "exit");
    expect(isAlive(server.pid)).toBe(false);
  }
});

test("data of another major version is not opened, and the message says what to do", async () => {
  const server = await start();
  await server.stop();
  await writeFile(join(server.dataDir, "PG_VERSION"), "15\n");
  await expect(start()).rejects.toThrow(/made by Postgres 15; this is 18. Move that folder away/);
});

describe.runIf(process.getuid?.() === 0)("as root", () => {
  test("the server runs as another user, also for a folder that only root can enter", async () => {
    await chmod(folder, 0o700);
    const server = await start();
    expect(await ask(server.url, "select 1 as answer")).toBe(1);
    expect(server.dataDir.startsWith(folder)).toBe(false);
    expect((await stat(server.dataDir)).uid).not.toBe(0);
    await server.stop();
    await rm(dirname(server.dataDir), { recursive: true, force: true });
  });
});
