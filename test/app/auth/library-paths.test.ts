import "next/dist/server/node-environment-baseline";
import { expect, test } from "vitest";
import { auth } from "../../../app/_auth/auth";
import { GET, POST } from "../../../app/api/auth/[...all]/route";
import { requestScope } from "../../support/request-scope";

const OPEN = ["/get-session", "/magic-link/verify", "/sign-out"];

const ask = (method: "GET" | "POST", path: string) =>
  requestScope().run(() => {
    const request = new Request(`http://127.0.0.1:3000/api/auth${path}`, { method });
    return (method === "GET" ? GET : POST)(request);
  });

test("of everything that the sign-in library could answer, only what is named is open", async () => {
  const endpoints = Object.values(auth().api as unknown as Record<string, { path?: string }>);
  const paths = [...new Set(endpoints.flatMap(({ path }) => path ?? []))];
  expect(paths.length).toBeGreaterThan(25);
  for (const path of paths.filter((one) => !OPEN.includes(one))) {
    expect((await ask("GET", path)).status, path).toBe(404);
    expect((await ask("POST", path)).status, path).toBe(404);
  }
  for (const [method, path] of [
    ["GET", "/sign-out"],
    ["POST", "/get-session"],
    ["POST", "/magic-link/verify"],
    ["GET", "/get-session/../sign-in/email-otp"],
  ] as const)
    expect((await ask(method, path)).status, path).toBe(404);
  expect((await ask("GET", "/get-session")).status).toBe(200);
});
