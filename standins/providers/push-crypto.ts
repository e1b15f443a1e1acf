import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from "node:crypto";

/** The keys of a simulated browser. `privateKey` never leaves the stand-in. */
export type DeviceKeys = { p256dh: string; auth: string; privateKey: Buffer };

/** Bytes of an uncompressed P-256 point, of the aes128gcm header before the key id, and of a GCM tag. */
const POINT_BYTES = 65;
const HEADER_BYTES = 21;
const TAG_BYTES = 16;
/** VAPID tokens may not outlive this (RFC 8292 section 2). */
const LONGEST_TOKEN_SECONDS = 24 * 60 * 60;

/** A fresh key pair and secret, as `pushManager.subscribe` makes them. */
export function newDeviceKeys(): DeviceKeys {
  const curve = createECDH("prime256v1");
  const p256dh = curve.generateKeys().toString("base64url");
  return { p256dh, auth: randomBytes(16).toString("base64url"), privateKey: curve.getPrivateKey() };
}

/** Opens an aes128gcm body (RFC 8291, RFC 8188) with a device's keys; null when the device could not read it. */
export function decryptPush(keys: DeviceKeys, body: Buffer): string | null {
  const keyIdBytes = body[HEADER_BYTES - 1];
  const recordBytes = body.length >= HEADER_BYTES ? body.readUInt32BE(16) : 0;
  const record = body.subarray(HEADER_BYTES + POINT_BYTES);
  // Browsers take one record only; a longer message is lost on the device.
  if (keyIdBytes !== POINT_BYTES || record.length <= TAG_BYTES || record.length > recordBytes) return null;
  const salt = body.subarray(0, 16);
  const senderKey = body.subarray(HEADER_BYTES, HEADER_BYTES + POINT_BYTES);
  try {
    const curve = createECDH("prime256v1");
    curve.setPrivateKey(keys.privateKey);
    const shared = curve.computeSecret(senderKey);
    const deviceKey = Buffer.from(keys.p256dh, "base64url");
    const keyInfo = Buffer.concat([Buffer.from("WebPush: info\0"), deviceKey, senderKey]);
    const secret = hkdf(shared, Buffer.from(keys.auth, "base64url"), keyInfo, 32);
    const contentKey = hkdf(secret, salt, Buffer.from("Content-Encoding: aes128gcm\0"), 16);
    const nonce = hkdf(secret, salt, Buffer.from("Content-Encoding: nonce\0"), 12);
    const decipher = createDecipheriv("aes-128-gcm", contentKey, nonce);
    decipher.setAuthTag(record.subarray(-TAG_BYTES));
    const padded = Buffer.concat([decipher.update(record.subarray(0, -TAG_BYTES)), decipher.final()]);
    return unpad(padded)?.toString("utf8") ?? null;
  } catch {
    return null;
  }
}

function hkdf(secret: Buffer, salt: Buffer, info: Buffer, bytes: number): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, salt, info, bytes));
}

/** The last record ends with 2 and any number of zeros. */
function unpad(padded: Buffer): Buffer | null {
  let end = padded.length - 1;
  while (end >= 0 && padded[end] === 0) end -= 1;
  return padded[end] === 2 ? padded.subarray(0, end) : null;
}

export type Vapid = { ok: true; publicKey: string; subject: string } | { ok: false; reason: string };

/** Checks `Authorization: vapid t=…, k=…` (RFC 8292): signature by `k`, audience, expiry. */
export function checkVapid(header: string | null, audience: string, nowMs: number): Vapid {
  const fields = /^vapid\s+(.+)$/i.exec(header ?? "")?.[1]?.split(/\s*,\s*/) ?? [];
  const field = (name: string) => fields.find((text) => text.startsWith(`${name}=`))?.slice(name.length + 1);
  const token = field("t");
  const publicKey = field("k");
  if (!token || !publicKey)
    return { ok: false, reason: "The Authorization header has no vapid token and key." };
  const [head = "", claims = "", signature = ""] = token.split(".");
  const parsed = parseToken(head, claims);
  if (parsed?.head.alg !== "ES256") return { ok: false, reason: "The token is not an ES256 JWT." };
  if (!signedBy(publicKey, `${head}.${claims}`, signature))
    return { ok: false, reason: "The signature is not by k." };
  const { aud, exp, sub } = parsed.claims;
  if (aud !== audience) return { ok: false, reason: `The audience is ${String(aud)}, not ${audience}.` };
  const leftSeconds = typeof exp === "number" ? exp - nowMs / 1000 : Number.NaN;
  if (!(leftSeconds > 0)) return { ok: false, reason: "The token has expired." };
  if (leftSeconds > LONGEST_TOKEN_SECONDS)
    return { ok: false, reason: "The token expires in more than 24 hours." };
  return { ok: true, publicKey, subject: typeof sub === "string" ? sub : "" };
}

type Token = { head: Record<string, unknown>; claims: Record<string, unknown> };

function parseToken(head: string, claims: string): Token | null {
  try {
    const read = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
    return { head: read(head) ?? {}, claims: read(claims) ?? {} };
  } catch {
    return null;
  }
}

function signedBy(publicKey: string, signed: string, signature: string): boolean {
  const point = Buffer.from(publicKey, "base64url");
  if (point.length !== POINT_BYTES || point[0] !== 4) return false;
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString("base64url"));
  try {
    const key = createPublicKey({ key: { kty: "EC", crv: "P-256", x, y }, format: "jwk" });
    const bytes = Buffer.from(signature, "base64url");
    return verify("sha256", Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" }, bytes);
  } catch {
    return false;
  }
}
