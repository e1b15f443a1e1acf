import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo, Socket } from "node:net";

export interface Received {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** How the server answers: with this, or by doing something to the connection instead. */
export type Script =
  | { status: number; headers?: Record<string, string | string[]>; body?: string }
  | "hang"
  | "reset"
  | "close"
  | "truncate"
  | "garbage";

export interface ProviderServer {
  url: string;
  received: Received[];
  /** What the next requests are answered with, until it is changed. */
  script: Script;
  close(): Promise<void>;
}

/** A bare HTTP server on the loopback that records requests byte for byte and answers from a script. */
export async function startProviderServer(): Promise<ProviderServer> {
  const sockets = new Set<Socket>();
  const state: ProviderServer = { url: "", received: [], script: { status: 500 }, close };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      state.received.push({ method, url, headers, body: Buffer.concat(chunks) });
      const { script } = state;
      if (typeof script === "object") {
        response.writeHead(script.status, script.headers ?? {});
        response.end(script.body ?? "");
      } else if (script === "reset") request.socket.resetAndDestroy();
      else if (script === "close") request.socket.end();
      else if (script === "garbage") request.socket.end("this is not HTTP\r\n\r\n");
      else if (script === "truncate") {
        response.writeHead(201, { "content-length": "100" });
        response.write('{"id":"', () => request.socket.destroy());
      }
    });
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return state;

  async function close(): Promise<void> {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
}
