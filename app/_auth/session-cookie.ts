import "server-only";
import { createHmac, timingSafeEqual } from "node:crypto";
import { config } from "../../db/config";

/** The sign-in library's cookie: the session's token and its signature in base64, percent-encoded. */
const COOKIE = /(^|;\s*)((?:__Secure-)?punctual\.session_token)=([^;]+)/;

const sign = (token: string, secret: string) => createHmac("sha256", secret).update(token).digest();

/**
 * The same headers, with a session cookie that a secret of before has signed as the present one would: nobody is signed
 * out because a secret was changed. Anything else stays as it is.
 */
export function underCurrentSecret(headers: Headers): Headers {
  const { authSecret, previousAuthSecrets } = config();
  const cookies = headers.get("cookie") ?? "";
  const found = previousAuthSecrets.length === 0 ? null : COOKIE.exec(cookies);
  const [token, given] = splitValue(found?.[3] ?? "");
  if (found === null || token === "") return headers;
  const genuine = previousAuthSecrets.some((secret) => {
    const right = sign(token, secret);
    return right.length === given.length && timingSafeEqual(right, given);
  });
  if (!genuine) return headers;
  const value = encodeURIComponent(`${token}.${sign(token, authSecret).toString("base64")}`);
  const renewed = new Headers(headers);
  renewed.set(
    "cookie",
    cookies.replace(COOKIE, (_all, before, name) => `${before}${name}=${value}`),
  );
  return renewed;
}

function splitValue(encoded: string): [string, Buffer] {
  try {
    const value = decodeURIComponent(encoded);
    const at = value.lastIndexOf(".");
    return [value.slice(0, Math.max(0, at)), Buffer.from(value.slice(at + 1), "base64")];
  } catch {
    return ["", Buffer.alloc(0)];
  }
}
