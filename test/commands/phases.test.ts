import { expect, test } from "vitest";
import { runPhases, summaryLine, tallyOf } from "../../commands/phases";

const NONE = {
  success: true,
  numPassedTests: 0,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  testResults: [],
};

test("the summary names skipped tests only when there are some", () => {
  expect(summaryLine({ passed: 12, failed: 0, skipped: 0 })).toBe("12 passed, 0 failed");
  expect(summaryLine({ passed: 12, failed: 1, skipped: 2 })).toBe("12 passed, 1 failed, 2 skipped");
});

test("a run is counted as the reporter tells it", () => {
  const report = { ...NONE, numPassedTests: 5, numPendingTests: 1, numTodoTests: 1 };
  expect(tallyOf(report, 0)).toEqual({ passed: 5, failed: 0, skipped: 2 });
});

test("a file that could not be loaded is a failure, beside the failed tests of others", () => {
  const testResults = [
    { status: "failed", assertionResults: [] },
    { status: "failed", assertionResults: [{ status: "failed" }, { status: "passed" }] },
    { status: "passed", assertionResults: [{ status: "passed" }] },
  ];
  const report = { ...NONE, success: false, numPassedTests: 2, numFailedTests: 1, testResults };
  expect(tallyOf(report, 1)).toEqual({ passed: 2, failed: 2, skipped: 0 });
});

test("an error that belongs to no test, and a run without any test, are failures", () => {
  expect(tallyOf({ ...NONE, numPassedTests: 5 }, 1)).toEqual({ passed: 5, failed: 1, skipped: 0 });
  expect(tallyOf(NONE, 0)).toEqual({ passed: 0, failed: 1, skipped: 0 });
});

test("a phase that breaks counts as one failure and the others run all the same, in turn and side by side", async () => {
  const broken = { name: "broken", run: () => Promise.reject(new Error("as this proof wants")) };
  const sound = { name: "sound", run: async () => ({ passed: 3, failed: 0, skipped: 1 }) };
  expect(await runPhases([[broken], [sound]])).toEqual({ passed: 3, failed: 1, skipped: 1 });
  expect(await runPhases([[broken, sound], [sound]])).toEqual({ passed: 6, failed: 1, skipped: 2 });
});
