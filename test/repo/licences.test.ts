import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "./source-files";

interface Locked {
  license?: string;
  dev?: boolean;
  resolved?: string;
  integrity?: string;
  link?: boolean;
}

/** Licences of what runs in production: permissive ones, and weak copyleft of libraries that are used as they are. */
const ALLOWED =
  /^(MIT|MIT-0|ISC|0BSD|BSD-2-Clause|BSD-3-Clause|Apache-2\.0|BlueOak-1\.0\.0|Unlicense|CC-BY-4\.0|OFL-1\.1|MPL-2\.0|LGPL-3\.0-or-later)$/;

/** What says its licence in a file: the real engine's dev server, which is optional and no part of production. */
const READ_BY_HAND = ["node_modules/inngest-cli"];

const { packages } = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as {
  packages: Record<string, Locked>;
};
const installed = Object.entries(packages).filter(([path, { link }]) => path !== "" && !link);

test("every package of production has a licence that we may use", () => {
  const refused = installed
    .filter(([path, { dev }]) => !dev && !READ_BY_HAND.includes(path))
    .filter(
      ([, { license = "none" }]) =>
        !license.split(/[()\s]+|\bAND\b/).every((one) => one === "" || ALLOWED.test(one)),
    )
    .map(([path, { license }]) => `${path}: ${license}`);
  expect(installed.length).toBeGreaterThan(300);
  expect(refused).toEqual([]);
});

test("every package is pinned by a hash of its content, and none comes from a branch or a folder", () => {
  const loose = installed
    .filter(
      ([path, { resolved, integrity }]) =>
        path.startsWith("node_modules/") && resolved !== undefined && !integrity,
    )
    .map(([path]) => path);
  expect(loose).toEqual([]);
  expect(
    installed.filter(([, { resolved }]) => /^(git|file|http:)/.test(resolved ?? "")).map(([path]) => path),
  ).toEqual([]);
});

test("what we depend on directly is named by its exact version", () => {
  const { dependencies, devDependencies } = JSON.parse(
    readFileSync(join(ROOT, "package.json"), "utf8"),
  ) as Record<string, Record<string, string>>;
  const ranges = Object.entries({ ...dependencies, ...devDependencies }).filter(
    ([, version]) => !/^\d+\.\d+\.\d+[\w.-]*$/.test(version),
  );
  expect(ranges).toEqual([]);
});
