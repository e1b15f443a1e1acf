import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

const INSTALLER = fileURLToPath(new URL("../../commands/install.mjs", import.meta.url));

let folder: string;

/** A project without dependencies, whose command installs itself as ours do. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "punctual-install-"));
  mkdirSync(join(folder, "commands"));
  cpSync(INSTALLER, join(folder, "commands/install.mjs"));
  writeFileSync(
    join(folder, "commands/go.mjs"),
    'import { ensureInstalled } from "./install.mjs"; ensureInstalled(); console.log("went on");',
  );
  writeManifest({});
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function writeManifest(dependencies: object): void {
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ name: "bare", version: "1.0.0", dependencies }),
  );
}

function writeLock(packages: object): void {
  const lock = { name: "bare", version: "1.0.0", lockfileVersion: 3, requires: true, packages };
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify(lock));
}

function go() {
  return spawnSync(process.execPath, [join(folder, "commands/go.mjs")], { cwd: folder, encoding: "utf8" });
}

test("the first command of a fresh clone installs and goes on; the next one has nothing to install", () => {
  writeLock({ "": { name: "bare", version: "1.0.0" } });
  const first = go();
  expect(first.stdout).toContain("Installing the packages");
  expect(first.stdout).toContain("went on");
  expect(first.status).toBe(0);
  const second = go();
  expect(second.stdout).toBe("went on\n");
  expect(second.status).toBe(0);
});

test("an installation that fails ends the command with a sentence, and lets the next one try", () => {
  writeLock({ "": { name: "bare", version: "1.0.0" } });
  // The lock file does not know this one, which npm refuses without asking anybody.
  writeManifest({ absent: "1.0.0" });
  const failed = go();
  expect(failed.stdout).not.toContain("went on");
  expect(failed.stderr).toContain("npm ci failed");
  expect(failed.status).not.toBe(0);
  writeManifest({});
  expect(go().status).toBe(0);
});
