import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium } from "playwright-core";

/**
 * One Chromium that does what a test asks and nothing by itself: no sandbox (the suite runs as root in containers), no
 * GPU, no first-run pages and no traffic of its own.
 */
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Names under which systems install it. */
const PROGRAMS = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome"];

/** `--version` answers at once; a stand-in that opens a package manager may not. */
const PROBE_TIMEOUT_MS = 15_000;

type Found = { executable: string; env: Record<string, string> };

/**
 * Starts a headless Chromium: the one that PUNCTUAL_CHROMIUM names, one on the machine, or the one that an npm package
 * ships. Throws with everything that was tried; a machine without a browser fails the test, it does not skip it.
 */
export async function launchBrowser(): Promise<Browser> {
  const { executable, env } = await findChromium();
  return chromium.launch({
    executablePath: executable,
    args: FLAGS,
    headless: true,
    env: { ...definedEnvironment(), ...env },
  });
}

async function findChromium(): Promise<Found> {
  const named = process.env.PUNCTUAL_CHROMIUM?.trim();
  const refused: string[] = [];
  for (const executable of named ? [named] : installed()) {
    const refusal = whyNotRunnable(executable, {});
    if (refusal === null) return { executable, env: {} };
    refused.push(`${executable}: ${refusal}`);
  }
  if (!named) {
    const shipped = await unpackShipped();
    const refusal = shipped === null ? "not installed" : whyNotRunnable(shipped.executable, shipped.env);
    if (shipped !== null && refusal === null) return shipped;
    refused.push(`@sparticuz/chromium (npm): ${refusal}`);
  }
  throw new Error(
    `The browser tests found no Chromium that runs. Install one (Debian: apt-get install chromium), or name one in PUNCTUAL_CHROMIUM.\n${refused.join("\n")}`,
  );
}

function installed(): string[] {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/bin", "/usr/local/bin"];
  const found = PROGRAMS.flatMap((program) => folders.map((folder) => join(folder, program)));
  const ofMac = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";
  return [...new Set([...found, ofMac, ofPlaywright()])].filter((path) => path !== "" && existsSync(path));
}

/** Where Playwright's own installer would have put it. */
function ofPlaywright(): string {
  try {
    return chromium.executablePath();
  } catch {
    return "";
  }
}

/**
 * The npm package is made for a hosted runtime and unpacks that system's libraries too, but only when it believes to be
 * there; and it unpacks into the temporary folder, where half a copy of a killed run would stay. So it is told both, in
 * an environment that is put back, and what it made is renamed when complete.
 */
async function unpackShipped(): Promise<Found | null> {
  const home = fileURLToPath(new URL("../../.local/chromium", import.meta.url));
  if (!existsSync(home) && !(await unpackInto(home))) return null;
  const env = { LD_LIBRARY_PATH: join(home, "al2023", "lib"), FONTCONFIG_PATH: join(home, "fonts") };
  return { executable: join(home, "chromium"), env };
}

async function unpackInto(home: string): Promise<boolean> {
  const before = { ...process.env };
  await mkdir(dirname(home), { recursive: true });
  const unpacking = await mkdtemp(`${home}-`);
  process.env.AWS_LAMBDA_JS_RUNTIME = "nodejs20.x";
  process.env.TMPDIR = unpacking;
  try {
    const { default: shipped } = await import("@sparticuz/chromium");
    await shipped.executablePath();
    await rename(unpacking, home);
    return true;
  } catch {
    return existsSync(home);
  } finally {
    for (const name of ["AWS_LAMBDA_JS_RUNTIME", "TMPDIR", "LD_LIBRARY_PATH", "FONTCONFIG_PATH"]) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
    await rm(unpacking, { recursive: true, force: true });
  }
}

/** Ubuntu's package is a stub that asks for snap; a shipped binary may lack a library: so it is asked, not just found. */
function whyNotRunnable(executable: string, env: Record<string, string>): string | null {
  const probe = spawnSync(executable, ["--version"], {
    env: { ...process.env, ...env },
    encoding: "utf8",
    timeout: PROBE_TIMEOUT_MS,
  });
  if (probe.error) return probe.error.message;
  if (probe.status !== 0)
    return probe.stderr.trim().split("\n").at(-1) || `exit ${probe.status ?? probe.signal}`;
  return null;
}

function definedEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
