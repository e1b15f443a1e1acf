import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Break } from "./answer";
import { createProviders, type Providers, type ProvidersOptions } from "./index";

export type ProvidersServerOptions = Omit<ProvidersOptions, "baseUrl"> & {
  /** 0 picks a free one. */
  port: number;
  /** Loopback unless named: the inbox shows sign-in codes to whoever can reach it. */
  host?: string;
  /** Where clients reach the server; by default `http://localhost:<port>`. */
  baseUrl?: string;
};

export type ProvidersServer = {
  /** Where it is reached, without a slash at the end. */
  url: string;
  port: number;
  providers: Providers;
  /** Ends it at once, hanging requests included. */
  close(): Promise<void>;
};

/** Largest request that is read: Resend's 40 MB for an email with attachments, and a little. */
const LARGEST_REQUEST_BYTES = 42 * 1024 * 1024;
/** Bytes a truncated answer promises and does not send. */
const WITHHELD_BYTES = 64;

/** Starts the stand-ins on a port. Rejects when the port is taken. */
export async function startProvidersServer(options: ProvidersServerOptions): Promise<ProvidersServer> {
  const { port, host = "127.0.0.1", ...rest } = options;
  let providers: Providers | null = null;
  const server = createServer((incoming, outgoing) => {
    serve(providers as Providers, incoming, outgoing).catch((error) => {
      process.stderr.write(`standins/providers: ${error instanceof Error ? error.stack : String(error)}\n`);
      if (!outgoing.headersSent) outgoing.writeHead(500, { "content-type": "text/plain" });
      outgoing.end("The stand-in failed; see its output.\n");
    });
  });
  // Keep-alive beyond any client's own idle time: a closing race would look like a provider's fault.
  server.keepAliveTimeout = 65_000;
  const boundPort = await listen(server, port, host);
  const url = (options.baseUrl ?? `http://localhost:${boundPort}`).replace(/\/+$/, "");
  providers = createProviders({ ...rest, baseUrl: url });
  return { url, port: boundPort, providers, close: () => close(server, providers as Providers) };
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function close(server: Server, providers: Providers): Promise<void> {
  providers.reset();
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function serve(
  providers: Providers,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const body = await readBody(incoming);
  if (body === "too large") {
    outgoing.writeHead(413, { connection: "close" }).end();
    return;
  }
  if (body === "cut short") return;
  const outcome = await providers.fetch(toRequest(incoming, body));
  // A caller that gave up gets no answer; what was accepted stays accepted.
  if (outgoing.destroyed) return;
  if (outcome instanceof Response) {
    const bytes = Buffer.from(await outcome.arrayBuffer());
    outgoing.writeHead(outcome.status, headersOf(outcome, bytes.length));
    outgoing.end(incoming.method === "HEAD" ? undefined : bytes);
    return;
  }
  await breakOff(outcome, incoming, outgoing);
}

async function breakOff(outcome: Break, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  switch (outcome.break) {
    case "hang":
      return;
    case "close":
      incoming.socket.destroy();
      return;
    case "reset":
    case "refuse":
      incoming.socket.resetAndDestroy();
      return;
    case "truncate": {
      const response = outcome.response ?? new Response("");
      const bytes = Buffer.from(await response.arrayBuffer());
      outgoing.writeHead(response.status, headersOf(response, bytes.length + WITHHELD_BYTES));
      outgoing.flushHeaders();
      outgoing.write(bytes.subarray(0, bytes.length >> 1), () => incoming.socket.destroy());
    }
  }
}

function headersOf(response: Response, contentLength: number): Record<string, string> {
  const bodiless = response.status === 204 || response.status === 304;
  return {
    ...Object.fromEntries(response.headers),
    ...(bodiless ? {} : { "content-length": String(contentLength) }),
  };
}

async function readBody(incoming: IncomingMessage): Promise<Buffer | "too large" | "cut short"> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of incoming) {
      bytes += chunk.length;
      if (bytes > LARGEST_REQUEST_BYTES) return "too large";
      chunks.push(chunk);
    }
  } catch {
    return "cut short";
  }
  return Buffer.concat(chunks);
}

function toRequest(incoming: IncomingMessage, body: Buffer): Request {
  const { method = "GET", headers } = incoming;
  const url = new URL(incoming.url ?? "/", "http://standins.invalid");
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value ?? ""]).map((one) => [name, one] as [string, string]),
  );
  const bodiless = method === "GET" || method === "HEAD";
  return new Request(url, { method, headers: pairs, ...(bodiless ? {} : { body: new Uint8Array(body) }) });
}
