import { Inngest, type InngestFunction } from "inngest";
import { serve } from "inngest/edge";
import { type VirtualClock, virtualClock } from "../../../standins/clock";
import { createEngine, type Engine } from "../../../standins/engine/core";
import { drive } from "../../../standins/engine/drive";
import type { EngineOptions } from "../../../standins/engine/model";
import type { RunView } from "../../../standins/engine/views";

/** A whole second far from any clock change. */
export const START_MS = Date.UTC(2031, 5, 2, 8, 0, 0);

/** One request of the engine to the SDK's handler, as it was sent and answered. */
export type Exchange = { url: URL; headers: Headers; body: Record<string, unknown>; response: Response };

export type Stage = {
  engine: Engine;
  clock: VirtualClock;
  client: Inngest;
  exchanges: Exchange[];
  /** While it is down, nothing listens where the app should be. */
  app: { down: boolean };
  /** Serves these functions from now on, and registers them. */
  serveFunctions(functions: InngestFunction.Any[]): Promise<void>;
  /** Moves the clock on. */
  pass(ms: number): Promise<void>;
  runsOf(functionId: string): RunView[];
  sinceStartMs(): number;
};

/** A real SDK client and handler in this process, on an engine with a virtual clock and ids that count. */
export async function stage(
  functions: (client: Inngest, clock: VirtualClock) => InngestFunction.Any[],
  options: Partial<EngineOptions> = {},
): Promise<Stage> {
  const clock = virtualClock(START_MS);
  const exchanges: Exchange[] = [];
  const app = { down: false };
  let handler: (request: Request) => Promise<Response>;
  let ids = 0;
  const nextId = () => {
    ids += 1;
    return `id${String(ids).padStart(6, "0")}`;
  };
  const engine = createEngine({
    clock,
    newId: nextId,
    random: () => 0.5,
    async call(url, init) {
      if (app.down) throw new TypeError("fetch failed", { cause: { code: "ECONNREFUSED" } });
      const request = new Request(url, init);
      const response = await handler(request);
      if (init.method === "POST") {
        const body = JSON.parse(String(init.body)) as Record<string, unknown>;
        exchanges.push({ url: new URL(url), headers: request.headers, body, response: response.clone() });
      }
      return response;
    },
    ...options,
  });
  const client = new Inngest({
    id: "shop",
    isDev: true,
    checkpointing: false,
    baseUrl: "http://engine.test",
    logger: silent,
    internalLogger: silent,
    fetch: ((input, init) => engine.fetch(new Request(input as string, init))) as typeof fetch,
  });
  const serveFunctions = async (served: InngestFunction.Any[]) => {
    handler = serve({ client, functions: served });
    if (!(await engine.sync("http://app.test"))) throw new Error("The functions were not registered.");
  };
  await serveFunctions(functions(client, clock));
  return {
    engine,
    clock,
    client,
    exchanges,
    app,
    serveFunctions,
    pass: (ms) => drive(engine, clock, clock.nowMs() + ms),
    runsOf: (functionId) => engine.runs().filter((run) => run.functionId === `shop-${functionId}`),
    sinceStartMs: () => clock.nowMs() - START_MS,
  };
}

const silent = { info() {}, warn() {}, error() {}, debug() {} };
