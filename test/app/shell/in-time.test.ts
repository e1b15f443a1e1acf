import { afterEach, expect, test } from "vitest";
import { inTime } from "../../../app/_shell/in-time";
import { replaceEffects } from "../../../db/effects";

let restore = () => {};

afterEach(() => restore());

test("whoever is answered leaves no timer behind, whatever the answer", async () => {
  const timers: (AbortSignal | undefined)[] = [];
  restore = replaceEffects({
    sleep: (_ms, unless) => {
      timers.push(unless);
      return new Promise((resolve) => unless?.addEventListener("abort", () => resolve()));
    },
  });
  expect(await inTime(Promise.resolve("told"))).toBe("told");
  await expect(inTime(Promise.reject(new Error("refused")))).rejects.toThrow("refused");
  expect(timers.map((signal) => signal?.aborted)).toEqual([true, true]);
});

test("a silent database is told as such once the time is over", async () => {
  restore = replaceEffects({ sleep: async () => {} });
  await expect(inTime(new Promise(() => {}))).rejects.toMatchObject({ code: "DATABASE_SILENT" });
});
