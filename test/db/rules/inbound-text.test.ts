import { describe, expect, test } from "vitest";
import { inboundWish } from "../../../db/rules/inbound-text";

describe("who wants no more texts gets none, in whatever words", () => {
  test.each([
    "STOP",
    "stop",
    " Stop. ",
    "STOPALL",
    "Unsubscribe!",
    "CANCEL",
    "end",
    "Quit",
    "Opt out",
    "ARRÊT",
    "please stop",
    "Pls stop texting me",
    "stop sending these",
    "Stop all messages",
    "stop it",
    "unsubscribe me from this",
    "take me off your list",
    "Remove my number",
    "Don’t text me again",
    "do not contact this number",
    "never message me again",
    "no more texts",
    "I'd like to opt out",
  ])("%s", (text) => {
    expect(inboundWish(text, null)).toBe("stop");
  });
});

describe("what is no wish to stop is not taken for one", () => {
  test.each([
    "",
    "Thanks!",
    "I'll stop by tomorrow",
    "the bus stop is closed",
    "don't stop",
    "please don't stop sending these",
    "I won't unsubscribe",
    "yes please send it",
    "Cancel my order 1234",
    "in the end it worked",
  ])("%s", (text) => {
    expect(inboundWish(text, null)).toBeNull();
  });
});

test("START and HELP are read, and Twilio's own reading wins", () => {
  expect(inboundWish("start", null)).toBe("start");
  expect(inboundWish("UNSTOP", null)).toBe("start");
  expect(inboundWish("Help", null)).toBe("help");
  expect(inboundWish("Basta", "STOP")).toBe("stop");
  expect(inboundWish("please stop", "HELP")).toBe("help");
});
