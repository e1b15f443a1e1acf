import { describe, expect, test } from "vitest";
import { judgeLookUp, type ListedMessage, type UnknownCalls } from "../../../db/rules/look-up";

const KNOWN: UnknownCalls = {
  firstAgeMs: 120_000,
  lastAgeMs: 120_000,
  calls: 1,
  claimedIds: [],
  rivals: 0,
};

const listed = (change: Partial<ListedMessage> = {}): ListedMessage => ({
  id: "SM1",
  ageMs: 118_000,
  same: true,
  status: "sent",
  errorCode: null,
  ...change,
});

test("the one message with our text, made while our call lasted, is ours", () => {
  expect(judgeLookUp([listed()], KNOWN)).toMatchObject({ kind: "found", message: { id: "SM1" } });
});

test("two calls may have made two, and then it was sent", () => {
  const both = [listed(), listed({ id: "SM2" })];
  expect(judgeLookUp(both, { ...KNOWN, calls: 2 })).toMatchObject({ kind: "found" });
});

describe("whatever could be somebody else's message decides nothing", () => {
  test.each<[string, ListedMessage[], Partial<UnknownCalls>]>([
    ["another delivery with this text may have made it", [listed()], { rivals: 1 }],
    ["more messages than calls", [listed(), listed({ id: "SM2" })], {}],
    ["another text or sender", [listed({ same: false })], {}],
  ])("%s", (_, messages, known) => {
    expect(judgeLookUp(messages, { ...KNOWN, ...known })).toEqual({
      kind: "undecided",
      messages: messages.length,
    });
  });
});

describe("what cannot be it is passed over", () => {
  test.each<[string, ListedMessage[], Partial<UnknownCalls>]>([
    ["nothing is listed", [], {}],
    ["it belongs to another delivery", [listed()], { claimedIds: ["SM1"] }],
    ["it was made long before our call", [listed({ ageMs: 181_000 })], {}],
    ["it was made long after our call", [listed({ ageMs: 59_000 })], {}],
    ["its time cannot be read", [listed({ ageMs: Number.NaN })], {}],
  ])("%s", (_, messages, known) => {
    expect(judgeLookUp(messages, { ...KNOWN, ...known })).toEqual({ kind: "absent" });
  });
});
