import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * A module loader that changes one place of one product file as it is loaded. It sees the compiled text, so whitespace
 * does not count. Registered by `mutations.ts`, for a process that lives as long as one mutation.
 */
let edits = [];

export function initialize(data) {
  edits = data.edits.map(({ file, from, to }) => ({ url: new URL(file, data.root).href, from, to }));
}

export async function load(url, context, nextLoad) {
  const loaded = await nextLoad(url, context);
  const mine = edits.filter((edit) => url.split("?")[0] === edit.url);
  if (mine.length === 0) return loaded;
  let source = loaded.source ? String(loaded.source) : readFileSync(fileURLToPath(url), "utf8");
  for (const { from, to } of mine) source = replaceOnce(source, from, to, url);
  return { ...loaded, source };
}

function replaceOnce(source, from, to, url) {
  const parts = from.split(/\s+/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const pattern = new RegExp(parts.join("\\s*"));
  if (!pattern.test(source)) throw new Error(`The mutation does not find its place in ${url}: ${from}`);
  return source.replace(pattern, () => to);
}
