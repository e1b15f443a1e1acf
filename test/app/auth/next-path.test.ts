import { expect, test } from "vitest";
import { nextPath } from "../../../app/_auth/next-path";

test.each([
  ["/reminders/new", "/reminders/new"],
  ["/reminders?list=past&after=x", "/reminders?list=past&after=x"],
  ["/settings/channels", "/settings/channels"],
  ["/reminders/../settings", "/settings"],
])("%s is a place of ours", (wanted, path) => {
  expect(nextPath(wanted)).toBe(path);
});

test.each([
  "https://evil.example/",
  "//evil.example",
  "/\\evil.example",
  "\\/evil.example",
  "/\t/evil.example",
  "/.//evil.example",
  "/%2e//evil.example",
  "javascript:alert(1)",
  "reminders",
  "",
  "/",
  "/sign-in?next=/reminders",
  "/api/auth/sign-out",
  undefined,
  ["/reminders", "/settings"],
])("%s leads to the reminders, not elsewhere", (wanted) => {
  expect(nextPath(wanted)).toBe("/reminders");
});
