import { expect, test } from "vitest";
import { allowStandins, safetyProblems } from "../../commands/start-checks";

const KEYS = { INNGEST_SIGNING_KEY: "signkey-prod-00", INNGEST_EVENT_KEY: "key" };

test("with both keys and without INNGEST_DEV a production start is safe", () => {
  expect(safetyProblems(KEYS)).toEqual([]);
  expect(safetyProblems({ ...KEYS, INNGEST_DEV: "0" })).toEqual([]);
  expect(safetyProblems({ ...KEYS, INNGEST_DEV: "" })).toEqual([]);
});

test.each(["1", "true", "http://127.0.0.1:8288", "https://engine.example.org"])(
  "INNGEST_DEV=%s is refused, for it turns verification off",
  (INNGEST_DEV) => {
    expect(safetyProblems({ ...KEYS, INNGEST_DEV })).toEqual([expect.stringContaining("INNGEST_DEV is set")]);
  },
);

test("every missing key is named at once", () => {
  expect(safetyProblems({ INNGEST_EVENT_KEY: " " })).toEqual([
    expect.stringContaining("INNGEST_SIGNING_KEY is not set"),
    expect.stringContaining("INNGEST_EVENT_KEY is not set"),
  ]);
});

const REHEARSAL = {
  PUNCTUAL_ALLOW_STANDINS: "1",
  APP_URL: "http://127.0.0.1:3000",
  INNGEST_DEV: "http://localhost:8288",
  RESEND_BASE_URL: "http://127.0.0.1:4010/resend",
  TWILIO_BASE_URL: "http://[::1]:4010/twilio",
  WEB_PUSH_EXTRA_HOSTS: "127.0.0.1:4010, localhost:4010",
};

test("a rehearsal is allowed while every address is this machine", () => {
  expect(safetyProblems(REHEARSAL)).toEqual([]);
  expect(allowStandins(REHEARSAL)).toBe(true);
  expect(allowStandins({ ...REHEARSAL, PUNCTUAL_ALLOW_STANDINS: "0" })).toBe(false);
});

test.each([
  ["APP_URL", "https://punctual.example.org"],
  ["RESEND_BASE_URL", "http://127.0.0.1.example.org/resend"],
  ["TWILIO_BASE_URL", "http://10.0.0.5:4010"],
  ["INNGEST_DEV", "http://engine:8288"],
  ["INNGEST_BASE_URL", "https://engine.example.org"],
  ["WEB_PUSH_EXTRA_HOSTS", "127.0.0.1:4010,push.example.org"],
])("a rehearsal with %s=%s is refused", (name, value) => {
  const env = { ...REHEARSAL, [name]: value };
  expect(safetyProblems(env)).toEqual([expect.stringContaining(`${name} lead elsewhere`)]);
  expect(allowStandins(env)).toBe(false);
});
