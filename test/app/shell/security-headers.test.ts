import { expect, test } from "vitest";
import { contentSecurityPolicy, securityHeaders } from "../../../app/_shell/security-headers";

const page = { nonce: "n0nce", https: true, development: false };

test("in production no script runs without the answer's nonce, and nothing frames a page", () => {
  const policy = contentSecurityPolicy(page);
  expect(policy).toContain("script-src 'self' 'nonce-n0nce' 'strict-dynamic';");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toMatch(/unsafe-eval|script-src[^;]*unsafe-inline/);
});

test("https is asked for only where browsers come over https", () => {
  expect(securityHeaders({ https: true })["strict-transport-security"]).toContain("max-age=63072000");
  expect(securityHeaders({ https: false })).not.toHaveProperty("strict-transport-security");
  expect(contentSecurityPolicy({ ...page, https: false })).not.toContain("upgrade-insecure-requests");
});
