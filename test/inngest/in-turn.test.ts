import { afterEach, beforeEach, expect, test } from "vitest";
import { replaceEffects } from "../../db/effects";
import { forgetLines, inTurn, isAwaited } from "../../inngest/in-turn";

const waits: { ms: number; end: () => void }[] = [];
let restore: () => void;

beforeEach(() => {
  waits.length = 0;
  forgetLines();
  restore = replaceEffects({
    sleep: (ms, unless) =>
      new Promise((resolve) => {
        waits.push({ ms, end: resolve });
        unless?.addEventListener("abort", () => resolve());
      }),
  });
});

afterEach(() => restore());

/** Work that notes when it is in, and ends when it is told to. */
function work(inside: string[], name: string) {
  let end = (_failure?: Error) => {};
  const done = inTurn("line", async () => {
    inside.push(name);
    await new Promise<void>((resolve, reject) => {
      end = (failure) => (failure === undefined ? resolve() : reject(failure));
    });
    inside.splice(inside.indexOf(name), 1);
    return name;
  });
  return { done, end: (failure?: Error) => end(failure) };
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

test("one is in at a time, in the order in which they came, also after one that failed", async () => {
  const inside: string[] = [];
  const [first, second, third] = ["first", "second", "third"].map((name) => work(inside, name));
  await settled();
  expect(inside).toEqual(["first"]);
  expect(isAwaited("line")).toBe(true);
  expect(isAwaited("another line")).toBe(false);
  first?.end();
  expect(await first?.done).toBe("first");
  await settled();
  expect(inside).toEqual(["second"]);
  inside.length = 0;
  second?.end(new Error("the connection broke"));
  await expect(second?.done).rejects.toThrow("the connection broke");
  await settled();
  expect(inside).toEqual(["third"]);
  expect(isAwaited("line")).toBe(false);
  third?.end();
  await third?.done;
});

test("lines do not wait for each other", async () => {
  const inside: string[] = [];
  work(inside, "first");
  expect(await inTurn("another line", async () => "went")).toBe("went");
});

test("who is behind a hanging one waits a second and no longer, and the turn is theirs", async () => {
  const inside: string[] = [];
  const [hanging, second, third] = ["hanging", "second", "third"].map((name) => work(inside, name));
  await settled();
  waits[0]?.end();
  await settled();
  expect(waits[0]?.ms).toBe(1_000);
  expect(inside).toEqual(["hanging", "second"]);
  // What hung comes to its end: it was not its turn any more.
  hanging?.end();
  await hanging?.done;
  await settled();
  expect(inside).toEqual(["second"]);
  second?.end();
  await second?.done;
  await settled();
  expect(inside).toEqual(["third"]);
  third?.end();
  await third?.done;
  expect(isAwaited("line")).toBe(false);
});
