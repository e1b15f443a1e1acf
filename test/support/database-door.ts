import { connect, createServer, type Server, type Socket } from "node:net";

/**
 * Stands between an app and its database server, so that a test can take the database away from one app while the
 * others keep theirs.
 */
export interface DatabaseDoor {
  /** The database's address through the door. */
  url: string;
  /** As if the server had been stopped: connections end, new ones are refused. */
  shut(): Promise<void>;
  /** As if it were so slow that nobody sees an answer: connections stand, nothing goes through them. */
  stall(): void;
  /** Everything goes through again; what was held up first. */
  open(): Promise<void>;
}

/** Opens a door on a port of its own. */
export async function openDoor(databaseUrl: string): Promise<DatabaseDoor> {
  const behind = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let stalled = false;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
  };
  const join = (from: Socket) => {
    const to = connect(Number(behind.port), behind.hostname);
    keep(from);
    keep(to);
    from.on("data", (data) => to.write(data));
    to.on("data", (data) => from.write(data));
    from.on("close", () => to.destroy());
    to.on("close", () => from.destroy());
    // Whoever listens for data has set them flowing.
    if (stalled) for (const socket of [from, to]) socket.pause();
  };
  let server: Server = await listen(join, 0);
  const { port } = server.address() as { port: number };
  const url = new URL(behind);
  url.host = `127.0.0.1:${port}`;
  return {
    url: url.toString(),
    async shut() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    stall() {
      stalled = true;
      for (const socket of sockets) socket.pause();
    },
    async open() {
      stalled = false;
      for (const socket of sockets) socket.resume();
      if (!server.listening) server = await listen(join, port);
    },
  };
}

function listen(onConnection: (socket: Socket) => void, port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer(onConnection);
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve(server));
  });
}
