import { connect, createServer } from "node:net";

/** A loopback connection is answered or refused at once; a second is only reached by a machine out of breath. */
const CONNECT_TIMEOUT_MS = 1_000;

/** A port that is free now on 127.0.0.1, chosen by the system. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => {
        if (address === null || typeof address === "string") reject(new Error("The system gave no port."));
        else resolve(address.port);
      });
    });
  });
}

/**
 * Whether a server could listen on that port. Both the loopback and the wildcard addresses are tried: a server on
 * 0.0.0.0 or :: does not stop a second one on 127.0.0.1 everywhere, and would then answer in its place.
 */
export async function isPortFree(port: number): Promise<boolean> {
  if (await answersOn(port)) return false;
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

/** Whether somebody accepts connections on 127.0.0.1 at that port. */
export function answersOn(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    const answer = (open: boolean) => {
      socket.destroy();
      resolve(open);
    };
    socket.setTimeout(CONNECT_TIMEOUT_MS, () => answer(false));
    socket.once("connect", () => answer(true));
    socket.once("error", () => answer(false));
  });
}
