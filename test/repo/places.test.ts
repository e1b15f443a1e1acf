import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { placeFindings } from "./places";
import { listed, projectPaths, ROOT } from "./source-files";

/** Pictures and fonts hold no sentences. */
const BINARY = /\.(png|jpe?g|gif|ico|webp|woff2?|pdf|br|gz)$/;

test("no file names a folder of one machine or a package registry", () => {
  const files = projectPaths()
    .filter((path) => !BINARY.test(path))
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8") }));
  expect(listed(files.flatMap(placeFindings))).toBe("");
});

const slash = "/";

test.each([
  `const path = "${slash}home/ada/punctual";`,
  `cd ${slash}work/main`,
  `see ${slash}Users/ada/punctual`,
  `"resolved": "https:${slash}/registry.example.org/zod.tgz"`,
  `deb http:${slash}/deb-mirror.example.org stable`,
])("%s is found", (text) => {
  expect(placeFindings({ path: "README.md", text })).toHaveLength(1);
});

test.each([
  "/api/v1/reminders",
  "/etc/passwd",
  "https://example.org/work/hours",
  "app/home/page.tsx",
  "/reminders/home/new",
])("%s is right", (text) => {
  expect(listed(placeFindings({ path: "README.md", text }))).toBe("");
});
