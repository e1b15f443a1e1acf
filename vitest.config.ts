import { fileURLToPath } from "node:url";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";

const TEST = "*.test.{ts,tsx}";

/** Tests of pure rules and of provider adapters sit among folders with a database and need none. */
const WITHOUT_DATABASE = ["test/db/rules/**", "test/inngest/providers/**", "test/inngest/messages/**"];

/** Folders whose every test file gets a database of its own, cloned from one template. */
const WITH_DATABASE = ["test/db/**", "test/inngest/**", "test/app/**", "test/commands/ops/**"];

/** Folders that are a project by themselves. */
const OWN_PROJECT = ["test/repo/**", "test/flow/**", "test/simulation/**", "test/browser/**", "test/live/**"];

/** Everything of WITH_DATABASE that is not in WITHOUT_DATABASE. */
const DATABASE_ONLY = [
  "test/app/**",
  "test/commands/ops/**",
  `test/db/${TEST}`,
  "test/db/!(rules)/**",
  `test/inngest/${TEST}`,
  "test/inngest/!(providers|messages)/**",
];

/** What every test process begins with. */
const WITHOUT_CLONE = ["test/support/orphan.ts", "test/support/environment.ts"];

/**
 * Gives each test file its clone of the template, its clock and a console that must stay quiet. The files of a process share its
 * modules (`isolate: false`), which are a third of the time of a short file; `environment.ts` lets each begin as the process did.
 */
const WITH_CLONE = {
  globalSetup: ["test/support/postgres.global.ts"],
  setupFiles: [...WITHOUT_CLONE, "test/support/console.ts", "test/support/database.ts"],
  // Making a template runs every migration on a machine that may be busy.
  hookTimeout: 60_000,
};

type TestOptions = NonNullable<TestProjectInlineConfiguration["test"]>;

function project(name: string, folders: string[], options: TestOptions): TestProjectInlineConfiguration {
  const include = folders.map((folder) => `${folder}/${TEST}`);
  return { extends: true, test: { name, include, ...options } };
}

export default defineConfig({
  resolve: {
    alias: {
      // The package throws wherever it is not a server component that imports it; a test is a server too.
      "server-only": fileURLToPath(new URL("./node_modules/server-only/empty.js", import.meta.url)),
    },
  },
  test: {
    // The suite is sized for two cores with a database server beside it.
    maxWorkers: 2,
    pool: "forks",
    // What passing tests log is no news.
    silent: "passed-only",
    projects: [
      project("repo", ["test/repo/**"], { testTimeout: 120_000 }),
      project("unit", ["test/**"], {
        exclude: [...OWN_PROJECT, ...DATABASE_ONLY],
        setupFiles: WITHOUT_CLONE,
        isolate: false,
        // Some start a real process: a database server, a stand-in.
        testTimeout: 30_000,
      }),
      project("database", WITH_DATABASE, {
        ...WITH_CLONE,
        exclude: WITHOUT_DATABASE,
        testTimeout: 30_000,
        isolate: false,
      }),
      // Whole promises, through the stand-in engine, on a virtual clock: the limit only ends what hangs.
      project("flow", ["test/flow/**"], { ...WITH_CLONE, testTimeout: 600_000 }),
      // A bounded number of seeds, each a few hundred deliveries.
      project("simulation", ["test/simulation/**"], { ...WITH_CLONE, testTimeout: 300_000 }),
      // The built app as processes, the engine at hand, real time: what no virtual clock can show. It mostly waits, so
      // its files run side by side.
      project("live", ["test/live/**"], {
        setupFiles: ["test/support/orphan.ts"],
        testTimeout: 900_000,
        hookTimeout: 240_000,
      }),
      project("browser", ["test/browser/**"], {
        globalSetup: WITH_CLONE.globalSetup,
        setupFiles: WITHOUT_CLONE,
        // A stack of servers and a Chromium for each file, beside those of the live tests: a page takes its time.
        testTimeout: 240_000,
        // Three at once: the long ones wait for a ramp, an outage or a reminder's instant for most of their minutes.
        maxWorkers: 3,
        hookTimeout: 240_000,
        expect: { poll: { timeout: 30_000 } },
      }),
    ],
  },
});
