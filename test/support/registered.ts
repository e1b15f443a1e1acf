import { serve } from "inngest/edge";
import { replaceEffects } from "../../db/effects";
import type { EventName } from "../../db/rules/event-catalog";
import { functions, inngest } from "../../inngest";

const ORIGIN = "http://127.0.0.1:3000";

/** The app's functions behind the SDK's own handler. */
export const handler = serve({ client: inngest, functions }) as (request: Request) => Promise<Response>;

/** One function as it is registered, as far as tests look at it. */
export interface Registered {
  id: string;
  triggers: { event?: string; cron?: string; expression?: string }[];
  concurrency?: number | { limit: number; key?: string } | (number | { limit: number; key?: string })[];
  throttle?: { limit: number; period: string; key?: string };
  priority?: { run: string };
  steps: Record<string, { retries?: { attempts?: number } }>;
}

/** What the engine is told about the functions. */
export async function registered(): Promise<Record<string, Registered>> {
  let body = "";
  const restore = replaceEffects({
    fetch: async (_url, init) => {
      body = String(init?.body);
      return Response.json({ ok: true, modified: true });
    },
  });
  try {
    await handler(
      new Request(`${ORIGIN}/api/inngest`, {
        method: "PUT",
        headers: { host: "127.0.0.1:3000" },
      }),
    );
  } finally {
    restore();
  }
  const { functions: list } = JSON.parse(body) as { functions: Registered[] };
  return Object.fromEntries(list.map((entry) => [entry.id, entry]));
}

/** An operation that a function answers when it is called. */
export interface PlannedOp {
  id: string;
  op: string;
  displayName?: string;
}

/**
 * Calls a function as the engine does, with what its steps have answered so far: what it wants to do next, without doing
 * it, or null when it has ended.
 */
export async function planned(
  functionId: string,
  name: EventName,
  data: unknown,
  steps: Record<string, unknown>,
): Promise<PlannedOp[] | null> {
  const event = { id: "e1", name, data, ts: 1, user: {} };
  const stack = Object.keys(steps);
  const ctx = {
    run_id: "r1",
    attempt: 0,
    max_attempts: 5,
    env: "",
    step_id: "step",
    use_api: false,
    disable_immediate_execution: true,
    stack: { stack, current: stack.length },
  };
  const response = await handler(
    new Request(`${ORIGIN}/api/inngest?fnId=punctual-${functionId}&stepId=step`, {
      method: "POST",
      headers: { host: "127.0.0.1:3000", "content-type": "application/json" },
      body: JSON.stringify({ version: 2, use_api: false, event, events: [event], steps, ctx }),
    }),
  );
  const body: unknown = await response.json();
  if (response.status === 206) return body as PlannedOp[];
  if (response.status === 200) return null;
  throw new Error(`${functionId} answered ${response.status}: ${JSON.stringify(body)}`);
}
