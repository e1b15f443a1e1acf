import { expect } from "vitest";
import { z } from "zod";
import { openapiDocument } from "../../../app/api/v1/openapi-document";

type Json = Record<string, unknown>;

/** As it is served: what JSON does not carry is not in it. */
export const served = JSON.parse(JSON.stringify(openapiDocument())) as {
  paths: Record<string, Record<string, { responses: Record<string, Json> } & Json>>;
  components: { schemas: Record<string, Json>; responses: Record<string, Json> };
} & Json;

const schemas = new Map<string, z.ZodType>();

/**
 * Holds an answer to the document that is served: the operation has this status, with this content type and these
 * headers, and the body is of the documented schema, with no member that is not in it.
 */
export function expectDocumented(
  operation: string,
  answer: { status: number; headers: Headers; body: unknown },
): void {
  const where = `${operation} ${answer.status}`;
  const [method = "", path = ""] = operation.split(" ");
  const listed = served.paths[path]?.[method.toLowerCase()]?.responses[String(answer.status)];
  expect(listed, `${where} is not in the OpenAPI document`).toBeDefined();
  const response = deref(listed ?? {}) as {
    headers?: Record<string, Json>;
    content: Record<string, { schema: Json }>;
  };
  const [type = "", ...otherTypes] = Object.keys(response.content);
  expect(otherTypes).toEqual([]);
  expect(answer.headers.get("content-type")?.split(";")[0], where).toBe(type);
  for (const [name, header] of Object.entries(response.headers ?? {})) {
    if (header.required) expect(answer.headers.get(name), `${where} without ${name}`).not.toBeNull();
  }
  const schema = schemas.get(where) ?? readSchema(response.content[type]?.schema ?? {});
  schemas.set(where, schema);
  const parsed = schema.safeParse(answer.body);
  if (!parsed.success) {
    throw new Error(
      `${where} is not as documented: ${z.prettifyError(parsed.error)}\n${JSON.stringify(answer.body)}`,
    );
  }
}

function deref(node: Json): Json {
  const reference = node.$ref;
  if (typeof reference !== "string") return node;
  const name = reference.replace("#/components/responses/", "");
  return served.components.responses[name] ?? {};
}

function readSchema(schema: Json): z.ZodType {
  const closed = close({ ...schema, $defs: served.components.schemas }) as Json;
  const local = JSON.stringify(closed).replaceAll("#/components/schemas/", "#/$defs/");
  return z.fromJSONSchema(JSON.parse(local));
}

/** The schema with every object closed: callers must bear new members, but what we answer today is all listed. */
function close(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(close);
  if (typeof node !== "object" || node === null) return node;
  const entries = Object.entries(node).map(([name, value]) => [name, close(value)]);
  const isOpen = "properties" in node && "type" in node && !("additionalProperties" in node);
  return { ...Object.fromEntries(entries), ...(isOpen ? { additionalProperties: false } : {}) };
}
