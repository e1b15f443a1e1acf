import { Fragment, type ReactNode } from "react";
import { partsOf } from "../../db/rules/speech";

/** A sentence of the dictionary with elements in its places; a text in a place keeps its own direction. */
export function Rich({ template, values }: { template: string; values: Record<string, ReactNode> }) {
  return partsOf(template).map((part, index) => {
    if (typeof part === "string") return part;
    const value = values[part.place];
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one sentence never change places
    return <Fragment key={index}>{typeof value === "string" ? <bdi>{value}</bdi> : value}</Fragment>;
  });
}
