import { expect, test } from "vitest";
import { duplicateTestFindings, pathFindings } from "./names";
import { codeFiles, listed, projectPaths } from "./source-files";

test("paths are in kebab-case and no folder is a catch-all", () => {
  expect(listed(projectPaths().flatMap(pathFindings))).toBe("");
});

test("no test file has two tests of one name", () => {
  const tests = codeFiles().filter(({ path }) => /\.test\.tsx?$/.test(path));
  expect(listed(tests.flatMap(duplicateTestFindings))).toBe("");
});

test.each(["db/utils/time.ts", "src/index.ts", "inngest/common/a.ts", "app/types/reminder.ts"])(
  "%s is found",
  (path) => {
    expect(listed(pathFindings(path))).toMatch(/name the folder by what the files are about/);
  },
);

test.each(["db/dueTime.ts", "app/Reminder_List/page.tsx"])("%s is found for its case", (path) => {
  expect(listed(pathFindings(path))).toMatch(/names are in kebab-case/);
});

test.each([
  "app/(console)/reminders/[id]/page.tsx",
  "app/api/v1/[...rest]/route.ts",
  "app/_parts/status-word.tsx",
  "README.md",
  ".ci/run",
  "test/support/postgres.global.ts",
])("%s is right", (path) => {
  expect(listed(pathFindings(path))).toBe("");
});

test("a repeated name is found within its group, and told apart between groups", () => {
  const text = `
    describe("a", () => { test("x", () => {}); test("x", () => {}); });
    describe("b", () => { test("x", () => {}); test.each([1])("y %s", () => {}); });
  `;
  expect(listed(duplicateTestFindings({ path: "test/a.test.ts", text }))).toBe(
    'test/a.test.ts:2 names a test as line 2 does: "a > x".',
  );
});
