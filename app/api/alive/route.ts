/** Whether this process answers at all, whatever the database does: what a supervisor restarts on. */
export function GET(): Response {
  return Response.json({ ok: true }, { headers: { "cache-control": "no-store" } });
}

export const dynamic = "force-dynamic";
