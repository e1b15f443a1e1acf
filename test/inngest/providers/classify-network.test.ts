import { describe, expect, test } from "vitest";
import { classifyNetworkError } from "../../../inngest/providers/classify-network";

type Facts = Record<string, unknown>;

function failed(facts: Facts): Error {
  return new TypeError("fetch failed", { cause: Object.assign(new Error("words that nobody reads"), facts) });
}

describe("what a failed call proves", () => {
  test.each<[string, Facts, string]>([
    ["refused", { code: "ECONNREFUSED", syscall: "connect" }, "transient"],
    ["name not found", { code: "ENOTFOUND", syscall: "getaddrinfo" }, "transient"],
    ["name server away", { code: "EAI_AGAIN", syscall: "getaddrinfo" }, "transient"],
    ["name server refuses", { code: "EAI_FAIL", syscall: "getaddrinfo" }, "transient"],
    ["not connected in time", { code: "UND_ERR_CONNECT_TIMEOUT", name: "ConnectTimeoutError" }, "transient"],
    ["reset while connecting", { code: "ECONNRESET", syscall: "connect" }, "transient"],
    ["timed out while connecting", { code: "ETIMEDOUT", syscall: "connect" }, "transient"],
    ["no route while connecting", { code: "ENETUNREACH", syscall: "connect" }, "transient"],
    ["out of descriptors", { code: "EMFILE", syscall: "connect" }, "transient"],
    ["left in the TLS handshake", { code: "ECONNRESET", host: "api.resend.com", port: 443 }, "transient"],
    ["closed before a byte", { code: "UND_ERR_SOCKET", socket: { bytesWritten: 0 } }, "transient"],

    ["self-signed", { code: "DEPTH_ZERO_SELF_SIGNED_CERT" }, "config_rejected"],
    ["certificate expired", { code: "CERT_HAS_EXPIRED" }, "config_rejected"],
    ["wrong name", { code: "ERR_TLS_CERT_ALTNAME_INVALID" }, "config_rejected"],
    ["unknown issuer", { code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE" }, "config_rejected"],
    ["not TLS", { code: "ERR_SSL_WRONG_VERSION_NUMBER" }, "config_rejected"],
    ["not TLS, older", { code: "EPROTO", syscall: "write" }, "config_rejected"],
    ["no URL", { code: "ERR_INVALID_URL" }, "config_rejected"],

    ["reset after the request", { code: "ECONNRESET", syscall: "read" }, "ambiguous"],
    ["reset, nothing known", { code: "ECONNRESET" }, "ambiguous"],
    ["closed after the request", { code: "UND_ERR_SOCKET", socket: { bytesWritten: 237 } }, "ambiguous"],
    ["closed, nothing known", { code: "UND_ERR_SOCKET" }, "ambiguous"],
    ["timed out while reading", { code: "ETIMEDOUT", syscall: "read" }, "ambiguous"],
    ["no route while writing", { code: "EHOSTUNREACH", syscall: "write" }, "ambiguous"],
    ["broken pipe", { code: "EPIPE", syscall: "write" }, "ambiguous"],
    ["TLS broke later", { code: "ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC" }, "ambiguous"],
    ["no headers in time", { code: "UND_ERR_HEADERS_TIMEOUT" }, "ambiguous"],
    ["no body in time", { code: "UND_ERR_BODY_TIMEOUT" }, "ambiguous"],
    ["too many headers", { code: "UND_ERR_HEADERS_OVERFLOW" }, "ambiguous"],
    ["not HTTP", { code: "HPE_INVALID_CONSTANT" }, "ambiguous"],
    ["aborted by axios", { code: "ECONNABORTED" }, "ambiguous"],
    ["cut answer in axios", { code: "ERR_BAD_RESPONSE", status: 201 }, "ambiguous"],
    ["something new", { code: "UND_ERR_SOMETHING" }, "ambiguous"],
  ])("%s", (_, facts, expected) => {
    const { outcome, code } = classifyNetworkError(failed(facts));
    expect(outcome.class).toBe(expected);
    expect(code).toBe(facts.code);
  });
});

test("our own deadline is ambiguous, also while still connecting", async () => {
  const aborted = AbortSignal.abort(new DOMException("too late", "TimeoutError"));
  expect(classifyNetworkError(aborted.reason)).toEqual({
    outcome: { class: "ambiguous" },
    code: "TimeoutError",
  });
  expect(classifyNetworkError(AbortSignal.abort().reason).outcome.class).toBe("ambiguous");
  const cause = Object.assign(new Error("connect"), { code: "ECONNREFUSED", syscall: "connect" });
  const wrapped = Object.assign(new Error("aborted", { cause }), { name: "TimeoutError" });
  expect(classifyNetworkError(wrapped).outcome.class).toBe("ambiguous");
});

test("of several addresses the least certain failure counts", () => {
  const refused = Object.assign(new Error(), { code: "ECONNREFUSED", syscall: "connect" });
  const read = Object.assign(new Error(), { code: "ECONNRESET", syscall: "read" });
  const all = (...errors: Error[]) => new TypeError("fetch failed", { cause: new AggregateError(errors) });
  expect(classifyNetworkError(all(refused, refused)).outcome.class).toBe("transient");
  expect(classifyNetworkError(all(refused, read)).outcome.class).toBe("ambiguous");
});

test("causes are followed as deep as they go, but not for ever", () => {
  const inner = Object.assign(new Error(), { code: "ECONNREFUSED", syscall: "connect" });
  const chain = new Error("a", { cause: new Error("b", { cause: new Error("c", { cause: inner }) }) });
  expect(classifyNetworkError(chain).outcome.class).toBe("transient");
  const endless = new Error("loop");
  endless.cause = endless;
  expect(classifyNetworkError(endless).outcome.class).toBe("ambiguous");
});

test.each([undefined, null, "boom", 7, {}, new Error("boom"), { code: 42 }])("%o proves nothing", (error) => {
  expect(classifyNetworkError(error).outcome).toEqual({ class: "ambiguous" });
});
