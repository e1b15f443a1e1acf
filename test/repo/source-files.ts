import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "oxc-parser";

/** The project's folder. */
export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Made by tools or by a run; nothing here is written by hand. */
const NOT_OURS = new Set(["node_modules", ".git", ".next", ".local", "coverage"]);

const GENERATED = [/^next-env\.d\.ts$/, /\.tsbuildinfo$/, /^\.env/, /^db\/migrations\/meta\//];

/** One file of the project: its path from the root with forward slashes, and its text. */
export type SourceFile = { path: string; text: string };

/** What a rule found: where, and what with its reason. */
export type Finding = { path: string; line: number; message: string };

/** A node of the syntax tree, as far as these rules look at it. */
export type Node = { type: string; start: number; end: number; [field: string]: unknown };

/** Every file of the project that people write, sorted by path. */
export function projectPaths(): string[] {
  return readdirSync(ROOT, { recursive: false, withFileTypes: true })
    .filter((entry) => !NOT_OURS.has(entry.name))
    .flatMap((entry) => (entry.isDirectory() ? below(join(ROOT, entry.name)) : [join(ROOT, entry.name)]))
    .map((path) => relative(ROOT, path).split(sep).join("/"))
    .filter((path) => !GENERATED.some((pattern) => pattern.test(path)))
    .sort();
}

function below(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !NOT_OURS.has(entry.name))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? below(path) : entry.isFile() ? [path] : [];
    });
}

/** The program text among the project's files. */
export function codeFiles(): SourceFile[] {
  return projectPaths()
    .filter((path) => /\.(ts|tsx|mts|mjs|js)$/.test(path))
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8") }));
}

/** Parses a file; one that does not parse is the compiler's to report, not ours. */
export function parse(file: SourceFile) {
  return parseSync(file.path, file.text);
}

/** Whether the file says that it runs in the browser. */
export function isClientComponent(file: SourceFile): boolean {
  return /^(\s|\/\/[^\n]*\n|\/\*[\s\S]*?\*\/)*["']use client["']/.test(file.text);
}

/** The line, counted from 1, of a position in the text. */
export function lineAt(text: string, position: number): number {
  return text.slice(0, position).split("\n").length;
}

/** Visits a node and everything below it, parents first. */
export function walk(
  node: unknown,
  visit: (node: Node, parents: Node[]) => void,
  parents: Node[] = [],
): void {
  if (Array.isArray(node)) {
    for (const one of node) walk(one, visit, parents);
    return;
  }
  if (node === null || typeof node !== "object") return;
  const inner = "type" in node ? [...parents, node as Node] : parents;
  if ("type" in node) visit(node as Node, parents);
  for (const value of Object.values(node)) {
    if (value !== null && typeof value === "object") walk(value, visit, inner);
  }
}

/** One finding a line, so that a failing test reads as a list of places. */
export function listed(findings: Finding[]): string {
  return findings.map((finding) => `${finding.path}:${finding.line} ${finding.message}`).join("\n");
}
