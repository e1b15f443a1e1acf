import { startEngineServer } from "./server";

/** Entry of the stand-in engine: `tsx standins/engine/main.ts` with ENGINE_PORT and APP_URL. */
const port = Number(process.env.ENGINE_PORT ?? 8288);
const appUrls = (process.env.APP_URL ?? "").split(",").filter((url) => url !== "");

const server = await startEngineServer({
  port,
  appUrls,
  signingKey: process.env.INNGEST_SIGNING_KEY || null,
  log: (line) => console.log(line),
});
console.log(`Engine listening on ${server.url}`);

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void server.close().then(() => process.exit(0)));
}
