import { invalid, ok, type Result } from "../../../db/rules/errors";

/** Larger than any legal body of one reminder or subscriber, small enough to read without thinking. */
export const BODY_BYTES_MAX = 256 * 1024;

/**
 * The body as text. Reading stops at the limit, so that nobody fills our memory. Bytes that are not UTF-8 are refused:
 * decoded leniently they would become U+FFFD, and something else than was sent would be stored.
 */
export async function readText(request: Request, bytesMax = BODY_BYTES_MAX): Promise<Result<string>> {
  const bytes = await readBytes(request, bytesMax);
  if (bytes === null) {
    return invalid("body", `more than ${bytesMax} bytes`, `at most ${bytesMax} bytes`);
  }
  try {
    return ok(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return invalid("body", "bytes that are not UTF-8", "a JSON object in UTF-8");
  }
}

/** Null when there is more than the limit. */
async function readBytes(request: Request, bytesMax: number): Promise<Uint8Array | null> {
  if (Number(request.headers.get("content-length")) > bytesMax) return null;
  const reader = request.body?.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  while (reader !== undefined) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > bytesMax) {
      await reader.cancel();
      return null;
    }
    chunks.push(value);
  }
  return Buffer.concat(chunks);
}
