import { z } from "zod";
import type { ZodOpenApiObject, ZodOpenApiParameters, ZodOpenApiResponseObject } from "zod-openapi";
import { IDEMPOTENCY_KEY_MAX_CHARACTERS } from "./http";
import { problemAnswer } from "./schemas";

/** Parts that several operations of the OpenAPI document share. */

export const DESCRIPTION = `Reminders by email, SMS and push: on time, and once.

**Times.** A due time is an instant with an offset (\`2026-12-24T09:00:00+01:00\`) or a wall time with its zone
(\`{"local": "2026-12-24T09:00", "timeZone": "Europe/Berlin"}\`). One without either is refused: the server's own zone
never counts. A wall time that a clock change skips is refused, naming the nearest times that exist; of one that happens
twice the earlier counts. Up to two minutes past is due now. Answers tell instants in UTC.

**Repeating a request.** Give every POST an \`Idempotency-Key\` of your own, and repeat it with the same key and body until
it is answered. PUT, PATCH and DELETE may be repeated as they are.

**Errors** are \`application/problem+json\` (RFC 9457). \`errors\` lists every value that is wrong, with what was given and
what is accepted. A refused request has stored nothing.

**New members** may be added to answers; do not refuse what you do not know. Requests are strict: an unknown key is refused
by name.`;

export const id = z.uuid().meta({
  description: "The id of a reminder, from the answer that created it.",
  example: "0b6cf4c1-5a2e-4f6e-9c8e-3f6f0d1c2b3a",
});

/** The header of a POST that may be repeated. */
export const idempotent: ZodOpenApiParameters = {
  header: z.object({
    "Idempotency-Key": z.string().min(1).max(IDEMPOTENCY_KEY_MAX_CHARACTERS).optional().meta({
      description:
        "Chosen by the caller, one per intended effect, such as a UUID. Requests with one key have one effect, however many come and however close together, and all get its answer. With another body the key is refused (422, `idempotency_mismatch`). A refused request leaves its key free. Keys of different API keys and routes do not meet.",
      example: "order-4711-pay-by",
    }),
  }),
};

/** The header of an answer that repeats an earlier one. */
export const replayedHeader = {
  "Idempotent-Replayed": z.literal("true").optional().meta({
    description: "Present when this answer repeats the one to an earlier request with the same key.",
  }),
};

/** A JSON body of a request. */
export function json(schema: z.ZodType, examples?: Record<string, { summary?: string; value: unknown }>) {
  return { content: { "application/json": { schema, ...(examples ? { examples } : {}) } }, required: true };
}

/** A JSON answer. */
export function answers(
  description: string,
  schema: z.ZodType,
  headers?: z.ZodObject,
): ZodOpenApiResponseObject {
  return { description, content: { "application/json": { schema } }, ...(headers ? { headers } : {}) };
}

function problem(id: string, description: string): ZodOpenApiResponseObject {
  return { id, description, content: { "application/problem+json": { schema: problemAnswer } } };
}

const INVALID = problem(
  "Invalid",
  "A value is not accepted (`invalid_input`), or the Idempotency-Key was used with another body (`idempotency_mismatch`). Nothing was stored; the same request never succeeds.",
);
const UNAUTHORISED: ZodOpenApiResponseObject = {
  ...problem("Unauthorised", "No valid API key was sent."),
  headers: z.object({ "WWW-Authenticate": z.string() }),
};
const NOT_FOUND = problem(
  "NotFound",
  "It does not exist, or is not the shop's; the two are never told apart.",
);
const CONFLICT = problem(
  "Conflict",
  "It was cancelled, changed at the same moment (`conflict`), or sent already (`too_late`).",
);
const INTERNAL = problem(
  "Internal",
  "Something failed on our side. Whether the request was carried out is not certain; repeat it.",
);
const UNAVAILABLE: ZodOpenApiResponseObject = {
  ...problem("Unavailable", "The database does not answer. Repeat the request later."),
  headers: z.object({ "Retry-After": z.string().meta({ description: "Seconds." }) }),
};

const FORBIDDEN = problem("Forbidden", "The API key is not made for this (its scopes do not include it).");
const RATE_LIMITED: ZodOpenApiResponseObject = {
  ...problem("RateLimited", "The API key asks too often. Repeat the request after `Retry-After`."),
  headers: z.object({ "Retry-After": z.string().meta({ description: "Seconds." }) }),
};

/** What every operation may answer besides its own. */
export const failures = {
  "401": UNAUTHORISED,
  "403": FORBIDDEN,
  "429": RATE_LIMITED,
  "500": INTERNAL,
  "503": UNAVAILABLE,
};
export const invalid = { "422": INVALID };
export const notFound = { "404": NOT_FOUND };
export const conflict = { "409": CONFLICT };

type Override = NonNullable<Parameters<typeof import("zod-openapi").createDocument>[1]>["override"];

/** Instants and ids carry a format, which says it better than the pattern; answers may grow; an integer is an integer. */
export const plainSchemas: Override = ({ jsonSchema, io }) => {
  if (jsonSchema.format === "date-time" || jsonSchema.format === "uuid") delete jsonSchema.pattern;
  if (io === "output" && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
};

export const security: NonNullable<ZodOpenApiObject["components"]>["securitySchemes"] = {
  apiKey: { type: "http", scheme: "bearer", description: "An API key of the shop's backend (`pk_…`)." },
};
