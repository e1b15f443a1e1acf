import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  fail,
  fieldPath,
  invalid,
  ok,
  type Problem,
  printable,
  problemDetail,
  problemStatus,
  toProblemJson,
} from "../../../db/rules/errors";

const everyProblem: [Problem, number][] = [
  [{ code: "invalid_input", fields: [] }, 422],
  [{ code: "not_found", what: "reminder" }, 404],
  [{ code: "forbidden", why: "Only operators may do that." }, 403],
  [{ code: "unauthorised", why: "The API key is unknown." }, 401],
  [{ code: "conflict", why: "Version 3 is not the latest." }, 409],
  [{ code: "idempotency_mismatch", why: "The key was used with another body." }, 422],
  [{ code: "too_late", why: "It is being sent." }, 409],
  [{ code: "rate_limited", retryAfterSeconds: 7, why: "At most 100 a second." }, 429],
];

describe("problems", () => {
  test.each(everyProblem)("$code has its HTTP status in the answer and in its body", (problem, status) => {
    expect(problemStatus(problem)).toBe(status);
    const json = toProblemJson(problem);
    expect(json).toMatchObject({ status, code: problem.code, type: `urn:punctual:problem:${problem.code}` });
    expect(json.title).not.toBe("");
    expect(json.detail).toBe(problemDetail(problem));
  });

  test("a field error names field, given value and what is accepted, in members and in one sentence", () => {
    const result = invalid("dueAt", "tomorrow", "a date and time with an offset");
    expect(result).toEqual(
      fail({
        code: "invalid_input",
        fields: [
          {
            field: "dueAt",
            given: '"tomorrow"',
            accepted: "a date and time with an offset",
            message: 'dueAt must be a date and time with an offset; given: "tomorrow".',
          },
        ],
      }),
    );
    expect(toProblemJson(result.problem)).toMatchObject({
      status: 422,
      detail: 'dueAt must be a date and time with an offset; given: "tomorrow".',
      errors: [{ field: "dueAt", given: '"tomorrow"' }],
    });
  });

  test("only a rate limit carries a wait", () => {
    const waits = everyProblem.map(([problem]) => toProblemJson(problem).retryAfterSeconds);
    expect(waits).toEqual([...Array(7).fill(undefined), 7]);
  });

  test("ok wraps the value", () => {
    expect(ok(1)).toEqual({ ok: true, value: 1 });
  });
});

describe("printable", () => {
  const shownAs: [unknown, string][] = [
    [undefined, "nothing"],
    [null, "null"],
    [42, "42"],
    [Number.NaN, "NaN"],
    [10n, "10"],
    [true, "true"],
    ["", '""'],
    ["a\u0000b", '"a\\u{0}b"'],
    ["a\r\nBcc: b", '"a\\u{d}\\u{a}Bcc: b"'],
    ["a\u202eb", '"a\\u{202e}b"'],
    ["ab\ud83d", '"ab\\u{d83d}"'],
    ["😀", '"😀"'],
    [{ local: "x" }, '{"local":"x"}'],
    [["email"], '["email"]'],
    [() => 1, "a function"],
  ];
  for (const [value, shown] of shownAs) {
    test(`shows ${shown}`, () => expect(printable(value)).toBe(shown));
  }

  test("a value that cannot be turned into text is still shown", () => {
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    expect(printable(circular)).toBe("an object");
  });

  test("a long value is shortened without splitting a character", () => {
    expect(printable("😀".repeat(500))).toBe(`"${"😀".repeat(79)}…`);
  });

  test("whatever is given, the text is visible, well formed and bounded", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: "binary", maxLength: 400 }), loneSurrogates(), fc.anything()),
        (value) => {
          const shown = printable(value);
          expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
          expect(shown.length).toBeLessThan(1000);
        },
      ),
    );
  });
});

test("a path with a hostile key is printable", () => {
  expect(fieldPath([])).toBe("body");
  expect(fieldPath(["dueAt", "timeZone"])).toBe("dueAt.timeZone");
  expect(fieldPath(["channels", 1])).toBe("channels.1");
  expect(fieldPath(["a\u0000\n"])).toBe('"a\\u{0}\\u{a}"');
});

function loneSurrogates() {
  return fc
    .array(fc.integer({ min: 0xd7f0, max: 0xe010 }), { maxLength: 40 })
    .map((units) => String.fromCharCode(...units));
}
