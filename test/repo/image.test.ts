import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

/** Nothing here builds an image: what its files say is held against what they speak of. */
const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), "utf8");

const dockerfile = read("Dockerfile");
const compose = read("compose.yaml");
const scripts = (JSON.parse(read("package.json")) as { scripts: Record<string, string> }).scripts;

/** Settings of the SDK and of the app itself. */
const settings = new Set([
  ...[...read("db/config.ts").matchAll(/^ {2}([A-Z_]+): (required|optional|z\.)/gm)].map(([, name]) => name),
  ...[...read("commands/start-checks.ts").matchAll(/"(INNGEST_[A-Z_]+)"/g)].map(([, name]) => name),
  ...[...read("app/api/inngest/route.ts").matchAll(/process\.env\.([A-Z_]+)/g)].map(([, name]) => name),
]);

/** One service of the compose file. */
function service(name: string): string {
  const [, text = ""] = new RegExp(`^ {2}${name}:\n((?: {4}.*\n|\n)+)`, "m").exec(compose) ?? [];
  expect(text, name).not.toBe("");
  return text;
}

test("the image starts what `npm start` starts, as nobody special, on the port that it exposes", () => {
  const [, command = "[]"] = /^CMD (\[.*\])$/m.exec(dockerfile) ?? [];
  expect((JSON.parse(command) as string[]).join(" ")).toBe(scripts.start);
  const last = dockerfile.slice(dockerfile.lastIndexOf("\nFROM "));
  expect(last).toMatch(/^USER node$/m);
  const [, port] = /PORT=(\d+)/.exec(last) ?? [];
  expect(last).toContain(`EXPOSE ${port}`);
  expect(last).toContain("NODE_ENV=production");
  expect(service("app")).toContain(`127.0.0.1:${port}:${port}`);
  expect(service("app")).toContain(`INNGEST_SERVE_ORIGIN: http://app:${port}`);
});

test("it is built by commands that there are, on a Node that the project takes, and asked at a route that there is", () => {
  for (const [, name = ""] of dockerfile.matchAll(/npm run ([\w:]+)/g)) expect(scripts).toHaveProperty(name);
  for (const [, major] of dockerfile.matchAll(/^FROM node:(\d+)/gm))
    expect(Number(major)).toBeGreaterThanOrEqual(20);
  const [, path = ""] = /127\.0\.0\.1:\$\{process\.env\.PORT\}(\/[\w/]+)/.exec(dockerfile) ?? [];
  expect(read(`app${path}/route.ts`)).toContain("GET");
});

test("neither the image nor the compose file sets a secret or a setting that there is not", () => {
  const named = [...service("app").matchAll(/^ {6}([A-Z_]+):/gm)].map(([, name]) => name);
  expect(named.length).toBeGreaterThan(3);
  for (const name of named) expect(settings).toContain(name);
  for (const [, name, value = ""] of compose.matchAll(/([A-Z_]*(?:KEY|PASSWORD|SECRET|TOKEN)): (.+)/g))
    expect([name, value]).toEqual([name, `\${${name}:?}`]);
  for (const secret of [".env", ".env.*", ".local"])
    expect(read(".dockerignore").split("\n")).toContain(secret);
});

test("the compose file's engine keeps its queue, knows the app, and has the keys that the app has", () => {
  const engine = service("inngest");
  expect(engine).toContain("--sdk-url http://app:3000/api/inngest");
  for (const name of ["INNGEST_SIGNING_KEY", "INNGEST_EVENT_KEY"]) {
    expect(engine).toContain(`${name}: \${${name}:?}`);
    expect(service("app")).toContain(`${name}: \${${name}:?}`);
  }
  expect(service("redis")).toMatch(/--appendonly yes .*--maxmemory-policy noeviction/);
  // Whatever listens is reached from this host alone.
  for (const [, port = ""] of compose.matchAll(/^ {6}- (\S+:\d+)$/gm)) expect(port).toMatch(/^127\.0\.0\.1:/);
});
