import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { database } from "../../db/connection";
import { readDue } from "../../db/ledger/due";
import * as schema from "../../db/schema";
import { askShops } from "../../inngest/shop-check";
import { testClock } from "../support/database";
import { emptyLedger, makeReminder } from "../support/factories";
import { occurrencesOf } from "../support/ledger";

const ANSWERS: Record<string, [number, string]> = {
  "/moot": [200, '{"relevant": false}'],
  "/relevant": [200, '{"relevant": true}'],
  "/silent": [200, "{}"],
  "/broken": [200, "<html>"],
  "/failing": [500, '{"relevant": false}'],
  "/null": [200, "null"],
};
/** What the shop had sent of an answer without an end, when nobody listened any more. */
let endlessBytes = 0;
let server: Server;
let host = "";

beforeAll(async () => {
  server = createServer((request, response) => {
    const [status, body] = ANSWERS[request.url ?? ""] ?? [404, ""];
    if (request.url === "/endless") return pour(response);
    if (request.url === "/elsewhere") response.writeHead(302, { location: "/moot" }).end();
    else response.writeHead(status).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  process.env.SHOP_CHECK_HOSTS = host;
  Reflect.deleteProperty(globalThis, "punctualConfig");
});

afterAll(() => {
  delete process.env.SHOP_CHECK_HOSTS;
  Reflect.deleteProperty(globalThis, "punctualConfig");
  server.close();
});

beforeEach(emptyLedger);

function pour(response: ServerResponse): void {
  const chunk = "x".repeat(64 * 1024);
  const more = () => {
    endlessBytes += chunk.length;
    if (!response.destroyed && response.write(chunk)) setImmediate(more);
  };
  response.on("drain", more);
  more();
}

async function answeredBy(checkUrl: string | null) {
  const { reminder } = await makeReminder({ dueInMs: 0 });
  await database().update(schema.reminders).set({ checkUrl }).where(eq(schema.reminders.id, reminder.id));
  await askShops(await readDue({ fromMs: 0, untilMs: testClock.nowMs() + 1, limit: 10 }));
  return (await occurrencesOf(reminder.id))[0]?.answeredBy ?? null;
}

test("what the shop calls irrelevant is marked", async () => {
  expect(await answeredBy(`http://${host}/moot`)).toBe("shop");
});

test.each(["/relevant", "/silent", "/broken", "/failing", "/null", "/none", "/elsewhere"])(
  "an answer of %s does not stop a reminder",
  async (path) => {
    expect(await answeredBy(`http://${host}${path}`)).toBeNull();
  },
);

test("a shop that cannot be reached, and a host that is not allowed, stop nothing", async () => {
  expect(await answeredBy("http://127.0.0.1:1/moot")).toBeNull();
  expect(await answeredBy(`http://localhost:${host.split(":")[1]}/moot`)).toBeNull();
  expect(await answeredBy(null)).toBeNull();
});

test("of an answer without an end no more is read than a provider's answer may have", async () => {
  expect(await answeredBy(`http://${host}/endless`)).toBeNull();
  expect(endlessBytes).toBeGreaterThan(0);
  // What is on its way in the sockets' buffers counts too.
  expect(endlessBytes).toBeLessThan(16 * 1024 * 1024);
});
