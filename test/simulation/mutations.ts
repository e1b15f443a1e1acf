import { register } from "node:module";
import { KEYS } from "./mutations/keys";
import type { Mutation } from "./mutations/mutation";
import { TIMES } from "./mutations/times";

/** Every way to break the product on purpose, by promise. */
export const MUTATIONS: readonly Mutation[] = [...KEYS, ...TIMES].toSorted((one, other) =>
  one.promise.localeCompare(other.promise),
);

/** Where a change goes, in a text as it is written or as it is compiled: whitespace does not count. */
export function placeOf(from: string): RegExp {
  const parts = from.split(/\s+/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(parts.join("\\s*"));
}

/** Breaks the product for the rest of this process; its modules must not have been loaded yet. */
export function installMutation(mutation: Mutation): void {
  const root = new URL("../../", import.meta.url).href;
  register("./mutate.mjs", import.meta.url, { data: { root, edits: mutation.edits } });
}
