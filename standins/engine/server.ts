import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Clock, realClock } from "../clock";
import { createEngine, type Engine } from "./core";

export type EngineServerOptions = {
  /** 0 takes a free port. */
  port: number;
  /** Apps asked to register: their origin, or the full address of the SDK's route. */
  appUrls?: readonly string[];
  /** Address to listen on. Default 127.0.0.1: nothing here is meant for a network. */
  host?: string;
  signingKey?: string | null;
  requestTimeoutMs?: number;
  queueDelayMs?: number;
  log?: (line: string) => void;
};

export type EngineServer = { url: string; port: number; engine: Engine; close(): Promise<void> };

/** How often an app is asked that has not answered yet. */
const ASK_AGAIN_MS = 2000;

/** How often an app that answers is asked anew, as the dev server polls: it notices changed functions and restarts. */
const POLL_MS = 5000;

/** Starts an engine on the machine's clock behind HTTP, and keeps asking the apps to register. */
export async function startEngineServer(options: EngineServerOptions): Promise<EngineServer> {
  const clock = realClock();
  const engine = createEngine({
    clock,
    call: (url, init) => fetch(url, init),
    signingKey: options.signingKey,
    requestTimeoutMs: options.requestTimeoutMs,
    queueDelayMs: options.queueDelayMs,
    log: options.log,
  });
  const server = createServer((incoming, outgoing) => void serve(engine, incoming, outgoing));
  const host = options.host ?? "127.0.0.1";
  await listen(server, options.port, host);
  const { port } = server.address() as AddressInfo;
  const stops = (options.appUrls ?? []).map((appUrl) => keepAsking(engine, clock, appUrl));
  return {
    url: `http://${host === "127.0.0.1" ? "localhost" : host}:${port}`,
    port,
    engine,
    async close() {
      for (const stop of stops) stop();
      engine.forgetEverything();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function keepAsking(engine: Engine, clock: Clock, appUrl: string): () => void {
  let stopped = false;
  let timer = clock.setTimer(clock.nowMs(), ask);
  async function ask(): Promise<void> {
    const answered = await engine.sync(appUrl);
    if (!stopped) timer = clock.setTimer(clock.nowMs() + (answered ? POLL_MS : ASK_AGAIN_MS), ask);
  }
  return () => {
    stopped = true;
    timer.cancel();
  };
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

async function serve(engine: Engine, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  try {
    const answer = await engine.fetch(await toRequest(incoming));
    outgoing.writeHead(answer.status, Object.fromEntries(answer.headers));
    outgoing.end(Buffer.from(await answer.arrayBuffer()));
  } catch {
    // A lost answer is a closed connection, not a status.
    outgoing.destroy();
  }
}

async function toRequest(incoming: IncomingMessage): Promise<Request> {
  const method = incoming.method ?? "GET";
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(", ") : value);
  }
  const body = method === "GET" || method === "HEAD" ? undefined : Buffer.concat(chunks);
  return new Request(`http://${incoming.headers.host ?? "localhost"}${incoming.url ?? "/"}`, {
    method,
    headers,
    body,
  });
}
