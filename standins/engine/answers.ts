/** A JSON answer. */
export function json(value: unknown, status = 200): Response {
  const headers = { "content-type": "application/json; charset=utf-8" };
  return new Response(JSON.stringify(value), { status, headers });
}

/** 404 in the shape the SDK reads errors in. */
export function missing(what: string): Response {
  return json({ error: `${what} not found`, status: 404 }, 404);
}
