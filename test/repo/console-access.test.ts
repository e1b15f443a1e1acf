import { expect, test } from "vitest";
import { accessFindings, entrancesOf, isConsoleFile } from "./console-access";
import { codeFiles, listed } from "./source-files";

const files = codeFiles().filter(isConsoleFile);

test("every page, route and action of the console asks who is there before anything else", () => {
  const entrances = files.flatMap(entrancesOf);
  expect(entrances.filter(({ kind }) => kind === "page").length).toBeGreaterThan(10);
  expect(entrances.filter(({ kind }) => kind === "action").length).toBeGreaterThan(3);
  expect(listed(files.flatMap(accessFindings))).toBe("");
});

test("a page that reads first, and an action that acts first or goes on after a refusal, are found", () => {
  const page = (text: string) => ({ path: "app/ops/x/page.tsx", text });
  const action = (text: string) => ({ path: "app/ops/x/actions.ts", text: `"use server";\n${text}` });
  const asks =
    "export default async function P() { await params; await requireReader('/'); await readAll(); }";
  expect(accessFindings(page(asks))).toEqual([]);
  const late = "export default async function P() { await readAll(); await requireReader('/'); }";
  expect(listed(accessFindings(page(late)))).toMatch(/P awaits readAll before/);
  const guarded =
    "export async function a() { const operator = await requireOperator('/'); if (!operator.ok) return x; await act(); }";
  expect(accessFindings(action(guarded))).toEqual([]);
  const deaf = "export async function a() { const operator = await requireOperator('/'); await act(); }";
  expect(listed(accessFindings(action(deaf)))).toMatch(/does not return its refusal/);
  expect(listed(accessFindings(action("export const a = async () => act();")))).toMatch(/no plain function/);
  expect(accessFindings({ path: "app/ops/x/words.ts", text: "export function a() {}" })).toEqual([]);
});
