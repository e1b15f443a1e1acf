import type { Outcome } from "../../db/rules/outcome";

export interface NetworkFailure {
  outcome: Outcome;
  /** The innermost error's code, or its name. */
  code: string;
}

/** What one error object tells. Messages are no contract and are never read. */
interface Facts {
  name: string;
  code: string;
  syscall: string | null;
  /** TLS sets it when the peer leaves during the handshake. */
  host: boolean;
  /** Bytes that undici's socket had written; null when unknown. */
  bytesWritten: number | null;
}

/** Causes deeper than this are not looked at: real chains have two links. */
const DEPTH_MAX = 8;

/** The name did not resolve, or the connection was never made, whatever the call was. */
const NEVER_CONNECTED = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"]);

/** Not sent when they come from making the connection; anywhere else the request may have been read. */
const UNSENT_ON_CONNECT = new Set([
  "ECONNRESET",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EHOSTDOWN",
  "ENETDOWN",
  "EADDRNOTAVAIL",
  "EACCES",
  "EPERM",
  "EMFILE",
  "ENFILE",
  "ENOBUFS",
]);

/** The peer is not who it should be, or does not speak TLS: found in the handshake, before any request. */
const WRONG_PEER = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "HOSTNAME_MISMATCH",
  "EPROTO",
  "ERR_SSL_WRONG_VERSION_NUMBER",
  "ERR_SSL_UNSUPPORTED_PROTOCOL",
  "ERR_SSL_NO_PROTOCOLS_AVAILABLE",
  "ERR_SSL_PACKET_LENGTH_TOO_LONG",
  "ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE",
  "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION",
  "ERR_INVALID_URL",
]);

/**
 * What a failed call proves, from the error that `fetch` threw (facts: section 1.1).
 *
 * `transient` only when the connection was certainly never made, `config_rejected` when the peer's certificate or
 * protocol is wrong; everything else, our own deadline included, is `ambiguous`: the request may have been read. Of
 * several errors (one per address tried) the least certain counts.
 */
export function classifyNetworkError(error: unknown): NetworkFailure {
  const failures = leaves(error, 0).map(classifyOne);
  const weakest = failures.find((failure) => failure.outcome.class === "ambiguous") ?? failures[0];
  return weakest ?? { outcome: { class: "ambiguous" }, code: "unknown" };
}

function classifyOne(facts: Facts): NetworkFailure {
  const { code } = facts;
  if (isNeverSent(facts)) return { outcome: { class: "transient" }, code };
  if (WRONG_PEER.has(code) || code.startsWith("CERT_") || code.startsWith("ERR_TLS_")) {
    return { outcome: { class: "config_rejected" }, code };
  }
  return { outcome: { class: "ambiguous" }, code };
}

function isNeverSent({ code, syscall, host, bytesWritten }: Facts): boolean {
  if (NEVER_CONNECTED.has(code)) return true;
  if (syscall === "getaddrinfo") return true;
  if (syscall === "connect") return UNSENT_ON_CONNECT.has(code);
  // The peer left during the TLS handshake: no system call failed, and TLS notes the host.
  if (code === "ECONNRESET") return syscall === null && host;
  return code === "UND_ERR_SOCKET" && bytesWritten === 0;
}

/** The innermost errors: each `cause` is followed, of an aggregate every member. */
function leaves(error: unknown, depth: number): Facts[] {
  if (typeof error !== "object" || error === null) return [read({})];
  // An aborted signal says nothing about how far the request got, whatever lies beneath.
  const own = read(error);
  if (own.name === "TimeoutError" || own.name === "AbortError" || depth >= DEPTH_MAX) return [own];
  const { errors, cause } = error as { errors?: unknown; cause?: unknown };
  if (Array.isArray(errors) && errors.length > 0) return errors.flatMap((each) => leaves(each, depth + 1));
  if (typeof cause === "object" && cause !== null) return leaves(cause, depth + 1);
  return [own];
}

function read(error: object): Facts {
  const { name, code, syscall, host, socket } = error as Record<string, unknown>;
  const bytesWritten = (socket as { bytesWritten?: unknown } | null | undefined)?.bytesWritten;
  const named = typeof name === "string" ? name : "unknown";
  return {
    name: named,
    code: typeof code === "string" ? code : named,
    syscall: typeof syscall === "string" ? syscall : null,
    host: typeof host === "string",
    bytesWritten: typeof bytesWritten === "number" ? bytesWritten : null,
  };
}
