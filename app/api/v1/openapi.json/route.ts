import { openapiDocument } from "../openapi-document";

/** The OpenAPI document of this API. Public: it says what a caller may send, and nothing about anybody. */
export function GET(): Response {
  return Response.json(openapiDocument());
}
