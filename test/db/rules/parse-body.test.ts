import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createDocument } from "zod-openapi";
import {
  createReminderBody,
  editReminderBody,
  listRemindersQuery,
  putSubscriberBody,
  snoozeBody,
} from "../../../db/rules/api-schemas";
import { parseBody } from "../../../db/rules/parse-body";

const CREATE = {
  subscriber: "shopper-1",
  title: "Pay the rent",
  dueAt: "2026-12-24T09:00:00+01:00",
  channels: ["email", "sms"],
};

function fields(schema: z.ZodType, body: unknown): string[] {
  const result = parseBody(schema, body);
  if (result.ok || result.problem.code !== "invalid_input") throw new Error("expected invalid_input");
  return result.problem.fields.map((error) => error.field);
}

describe("a body", () => {
  test("with several mistakes names all of them at once", () => {
    const body = { title: "", dueAt: "2026-12-24", channels: ["fax"], colour: "red", toString: 1 };
    expect(fields(createReminderBody, body).sort()).toEqual(
      ["channels.0", "colour", "dueAt", "subscriber", "title", "toString"].sort(),
    );
  });

  test("with a key that every object inherits refuses it like any other", () => {
    for (const key of ["toString", "constructor", "hasOwnProperty"]) {
      const result = parseBody(createReminderBody, { ...CREATE, [key]: 1 });
      expect(result).toMatchObject({ problem: { fields: [{ field: key, accepted: "left out" }] } });
    }
  });

  test("with a hostile key names it in visible characters", () => {
    const body = JSON.parse(`{"__proto__": 1, "a\\u0000\\n": 2}`) as object;
    expect(fields(createReminderBody, Object.assign(body, CREATE)).sort()).toEqual([
      '"a\\u{0}\\u{a}"',
      "__proto__",
    ]);
  });

  test("that is no object is refused as a whole, and a thousand unknown keys are told in fifty", () => {
    for (const body of [null, undefined, [], "text", 5])
      expect(fields(createReminderBody, body)).toEqual(["body"]);
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`key${index}`, 1]));
    expect(fields(createReminderBody, { ...CREATE, ...many })).toHaveLength(50);
  });
});

const everySchema = {
  createReminderBody,
  editReminderBody,
  snoozeBody,
  listRemindersQuery,
  putSubscriberBody,
};

test("no JSON value makes a parse throw, and every error is printable", () => {
  const keys = [
    "title",
    "note",
    "dueAt",
    "channels",
    "phone",
    "email",
    "timeZone",
    "minutes",
    "limit",
    "verified",
  ];
  const body = fc.oneof(
    fc.jsonValue({ stringUnit: "binary" }),
    fc.dictionary(
      fc.oneof(fc.constantFrom(...keys), fc.string({ unit: "binary" })),
      fc.jsonValue({ stringUnit: "binary" }),
    ),
  );
  fc.assert(
    fc.property(body, fc.constantFrom(...Object.values(everySchema)), (value, schema: z.ZodType) => {
      const result = parseBody(schema, value);
      if (result.ok || result.problem.code !== "invalid_input") return;
      expect(result.problem.fields.length).toBeGreaterThan(0);
      for (const error of result.problem.fields) {
        expect(Object.values(error).join("")).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
      }
    }),
    { numRuns: 1000 },
  );
});

test("every schema can be shown in an OpenAPI document", () => {
  const body = (schema: z.ZodType) => ({ content: { "application/json": { schema } } });
  const document = createDocument({
    openapi: "3.1.0",
    info: { title: "test", version: "1" },
    paths: {
      "/reminders": {
        get: { requestParams: { query: listRemindersQuery }, responses: {} },
        post: { requestBody: body(createReminderBody), responses: {} },
        patch: { requestBody: body(editReminderBody), responses: {} },
        put: { requestBody: body(putSubscriberBody), responses: {} },
        delete: { requestBody: body(snoozeBody), responses: {} },
      },
    },
  });
  const create = document.paths?.["/reminders"]?.post?.requestBody;
  expect(create).toMatchObject({
    content: {
      "application/json": {
        schema: {
          type: "object",
          required: ["subscriber", "title", "dueAt", "channels"],
          additionalProperties: false,
          properties: {
            title: { type: "string", minLength: 1, maxLength: 200 },
            dueAt: { oneOf: [{ type: "string", format: "date-time" }, { type: "object" }] },
            channels: { type: "array", minItems: 1, items: { enum: ["email", "sms", "push"] } },
            expiresAfterSeconds: { type: "integer", minimum: 60, maximum: 604_800, default: 86_400 },
          },
        },
      },
    },
  });
  expect(z.toJSONSchema(snoozeBody, { io: "input" })).toMatchObject({
    oneOf: [{ required: ["minutes"] }, { required: ["dueAt"] }],
  });
});
