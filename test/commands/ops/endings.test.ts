import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { runCommand } from "../../../commands/ops-run";
import { closeDatabase } from "../../../db/connection";
import { databaseUrl } from "../../support/database";

const out: string[] = [];
const err: string[] = [];

beforeEach(() => {
  vi.spyOn(console, "log").mockImplementation((line: string) => void out.push(line));
  vi.spyOn(console, "error").mockImplementation((line: string) => void err.push(line));
});

afterEach(async () => {
  vi.restoreAllMocks();
  process.exitCode = 0;
  out.length = 0;
  err.length = 0;
  if (process.env.DATABASE_URL === databaseUrl) return;
  process.env.DATABASE_URL = databaseUrl;
  await closeDatabase();
});

describe("what could not be done is one sentence, one object with --json, and an exit code of its kind", () => {
  test.each([
    ["a verb that there is not", ["pauze", "sms"], /^There is no verb "pauze"/],
    ["a flag that there is not", ["partitions", "--jsn"], /jsn/],
    ["a change without its reason", ["hold"], /--reason/],
    ["a missing word", ["pause", "--reason", "drill"], /^The partition is missing/],
    ["a duration of no unit", ["gate", "--since", "fifteen"], /^--since must be like 90s/],
    ["a partition that there is not", ["pause", "fax:acme", "--reason", "drill"], /no such partition/],
  ])("%s ends with 2", async (_what, words, sentence) => {
    await runCommand([...words, "--json"]);
    expect(process.exitCode).toBe(2);
    expect(err).toEqual([expect.stringMatching(sentence)]);
    expect(out.map((line) => JSON.parse(line))).toEqual([{ ok: false, error: err[0] }]);
  });

  test("a database that does not answer ends with 4, and the statement is not told", async () => {
    process.env.DATABASE_URL = "postgres://127.0.0.1:1/punctual";
    await runCommand(["partitions", "--json"]);
    expect(process.exitCode).toBe(4);
    expect(err).toEqual(["It could not be carried out: connect ECONNREFUSED 127.0.0.1:1"]);
    expect(out.map((line) => JSON.parse(line))).toEqual([{ ok: false, error: err[0] }]);
  });

  test("a command that is right says nothing of errors", async () => {
    await runCommand(["partitions", "--json"]);
    expect(process.exitCode).toBe(0);
    expect(err).toEqual([]);
    expect(out).toHaveLength(1);
  });
});
