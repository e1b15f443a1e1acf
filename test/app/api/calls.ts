import { sql } from "drizzle-orm";
import { rows, transact } from "../../../db/connection";
import { requestScope } from "../../support/request-scope";
import { expectDocumented } from "./documented";

type Handler = (request: Request, context: { params: Promise<Record<string, string>> }) => Promise<Response>;

const ORIGIN = "http://127.0.0.1:3000";

/** Every route file of the API, by the pattern of its path: `/api/v1/reminders/[id]`. */
const modules = import.meta.glob<Record<string, unknown>>([
  "../../../app/api/v1/**/route.ts",
  "../../../app/api/health/route.ts",
]);
const routes = Object.entries(modules).map(([file, load]) => {
  const pattern = file.replace(/^.*\/app(\/api\/.*)\/route\.ts$/, "$1");
  const segments = pattern.split("/").map((segment) => segment.replace(/^\[(\w+)\]$/, "(?<$1>[^/]+)"));
  return { pattern, load, path: new RegExp(`^${segments.join("/").replaceAll(".", "\\.")}$`) };
});
// As Next does: a path's own name goes before a parameter.
routes.sort((one, other) => Number(one.pattern.includes("[")) - Number(other.pattern.includes("[")));

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Every method of every route file, as `GET /api/v1/reminders/{id}`. */
export async function listOperations(): Promise<string[]> {
  const found = await Promise.all(
    routes.map(async ({ pattern, load }) => {
      const methods = Object.keys(await load()).filter((name) => METHODS.includes(name));
      return methods.map((method) => `${method} ${pattern.replace(/\[(\w+)\]/g, "{$1}")}`);
    }),
  );
  return found.flat().sort();
}

export interface Answer {
  status: number;
  headers: Headers;
  /** The JSON of the answer. */
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of it
  body: any;
  text: string;
  /** Runs what the handler left for after the answer, and waits for it. */
  afterwards: () => Promise<void>;
}

/** A request as `fetch` would send it; an object as body is sent as JSON, a string or bytes as they are. */
export interface Call {
  key?: string | null;
  headers?: Record<string, string>;
  body?: unknown;
}

/**
 * Calls a handler in process as Next does: path parameters decoded once, `after()` only once the answer is out. Every
 * answer is held to the OpenAPI document.
 */
/** Calls of this file so far; the clock stands still, so no turn of a key's limit comes back by itself. */
let calls = 0;

async function giveTurnsBack(): Promise<void> {
  calls += 1;
  if (calls % 300 === 0) await transact((tx) => rows(tx, sql`delete from rate_limits`));
}

export async function call(method: string, path: string, options: Call = {}): Promise<Answer> {
  await giveTurnsBack();
  const request = requestOf(method, path, options);
  const { pathname } = new URL(request.url);
  const route = routes.find((candidate) => candidate.path.test(pathname));
  if (route === undefined) throw new Error(`No route for ${pathname}`);
  const handler = (await route.load())[method] as Handler | undefined;
  if (handler === undefined) throw new Error(`${route.pattern} has no ${method}`);
  const encoded = Object.entries(route.path.exec(pathname)?.groups ?? {});
  const params = Object.fromEntries(encoded.map(([name, value]) => [name, decodeURIComponent(value)]));
  const scope = requestScope();
  const response = await scope.run(() => handler(request, { params: Promise.resolve(params) }));
  const text = await response.clone().text();
  const answer = { status: response.status, headers: response.headers, body: JSON.parse(text), text };
  expectDocumented(`${method} ${route.pattern.replace(/\[(\w+)\]/g, "{$1}")}`, answer);
  return { ...answer, afterwards: scope.close };
}

function requestOf(method: string, path: string, { key, headers = {}, body }: Call): Request {
  const isRaw = typeof body === "string" || body instanceof Uint8Array || body instanceof ReadableStream;
  return new Request(`${ORIGIN}${path}`, {
    method,
    headers: { ...(key ? { authorization: `Bearer ${key}` } : {}), ...headers },
    body: isRaw || body === undefined ? (body as BodyInit | undefined) : JSON.stringify(body),
    ...(body instanceof ReadableStream ? { duplex: "half" } : {}),
  });
}
