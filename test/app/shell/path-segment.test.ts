import { expect, test } from "vitest";
import { pathSegment } from "../../../app/_shell/path-segment";

test("whatever an action was called with becomes one segment of an address", () => {
  expect(pathSegment("a/b?c#d")).toBe("a%2Fb%3Fc%23d");
  expect(pathSegment("\ud83d")).toBe("%EF%BF%BD");
  for (const value of [undefined, null, 7, {}, ["a"]]) expect(pathSegment(value)).toBe("");
});
