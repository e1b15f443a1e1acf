import type { Engine } from "../core";
import type { Context } from "../model";
import { rerunFailed } from "../operate";
import { answerFunctions } from "./functions";
import { answerRun } from "./run";
import { answerRuns, filterQuery } from "./run-list";

/** Pages and their forms; null if the path belongs to none of them. */
export async function answerPage(
  context: Context,
  engine: Engine,
  request: Request,
  url: URL,
): Promise<Response | null> {
  const route = `${request.method} ${url.pathname}`;
  if (route === "GET /") return answerRuns(context, url);
  if (route === "GET /functions") return answerFunctions(context);
  if (route === "POST /runs/rerun") {
    const fields = new URLSearchParams(await request.text());
    const started = rerunFailed(context, fields.get("function"));
    return seeOther(`/?${filterQuery(fields.get("function"), null)}&rerun=${started.length}`);
  }
  const verb = /^POST \/runs\/([^/]+)\/(rerun|cancel)$/.exec(route);
  if (verb) {
    const id = verb[1] as string;
    if (verb[2] === "rerun") return seeOther(`/runs/${engine.rerun(id) ?? id}`);
    engine.cancel(id);
    return seeOther(`/runs/${id}`);
  }
  const run = /^GET \/runs\/([^/]+)$/.exec(route);
  return run ? answerRun(context, run[1] as string) : null;
}

function seeOther(location: string): Response {
  return new Response(null, { status: 303, headers: { location } });
}
