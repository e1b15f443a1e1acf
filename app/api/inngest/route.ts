import { serve } from "inngest/next";
import { after } from "next/server";
import { functions, inngest } from "../../../inngest";
import { log } from "../../../inngest/log";
import { sweep } from "../../../inngest/sweep";

/** Longest request of one step: a parcel with its waits. At least 60 s (DESIGN: limits). */
export const maxDuration = 300;

const handler = serve({ client: inngest, functions });

export const { GET, POST } = handler;

/**
 * Registers the functions. An engine that says "modified" did not know us as we are: it may have forgotten every run and
 * has had no crons, so the ledger is swept and every pump rung anew.
 */
export const PUT: typeof handler.PUT = async (request, context) => {
  const response = await handler.PUT(request, context);
  const body = (await response
    .clone()
    .json()
    .catch(() => null)) as { modified?: unknown } | null;
  if (body?.modified === true) {
    after(() => sweep("sync").catch((error: unknown) => log.error("sweep failed", { error })));
  }
  return response;
};
