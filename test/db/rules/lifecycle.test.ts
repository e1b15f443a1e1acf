import { describe, expect, test } from "vitest";
import {
  DEAD_REASONS,
  DELIVERY_STATES,
  type DeliveryState,
  EXPIRED_REASONS,
  isLegalMove,
  LEGAL_MOVES,
  LIVE_STATES,
  TERMINAL_STATES,
  WAITING_STATES,
} from "../../../db/rules/lifecycle";

const PLAIN = { unresolved: false, reason: null, redriven: false };

describe("the table of moves", () => {
  test("names every move once, between two different known states, with a reason", () => {
    const names = LEGAL_MOVES.map((move) => `${move.from} → ${move.to}`);
    expect(new Set(names).size).toBe(names.length);
    for (const move of LEGAL_MOVES) {
      expect(DELIVERY_STATES).toContain(move.from);
      expect(DELIVERY_STATES).toContain(move.to);
      expect(move.from).not.toBe(move.to);
      expect(move.because).not.toBe("");
    }
  });

  test("states are live or ended, and what waits is live but not being sent", () => {
    expect([...LIVE_STATES, ...TERMINAL_STATES].toSorted()).toEqual([...DELIVERY_STATES].toSorted());
    expect(LIVE_STATES.filter((state) => state !== "sending")).toEqual(WAITING_STATES);
    expect(DEAD_REASONS.filter((reason) => (EXPIRED_REASONS as readonly string[]).includes(reason))).toEqual(
      [],
    );
  });

  test("delivered and expired are final", () => {
    expect(LEGAL_MOVES.filter((move) => move.from === "delivered" || move.from === "expired")).toEqual([]);
  });

  test("every live state can reach an ending, and every state but the first is reached from another", () => {
    const reached = (from: DeliveryState) =>
      LEGAL_MOVES.filter((move) => move.from === from).map((move) => move.to);
    for (const state of LIVE_STATES) {
      expect(reached(state).some((to) => (TERMINAL_STATES as readonly string[]).includes(to))).toBe(true);
    }
    for (const state of DELIVERY_STATES) {
      expect(LEGAL_MOVES.some((move) => move.to === state)).toBe(true);
    }
  });
});

test("staying is always legal", () => {
  for (const state of DELIVERY_STATES) expect(isLegalMove(state, state, PLAIN)).toBe(true);
});

test("what is unresolved never expires, and what is resolved never dies waiting", () => {
  for (const state of WAITING_STATES) {
    expect(isLegalMove(state, "expired", PLAIN)).toBe(true);
    expect(isLegalMove(state, "dead", PLAIN)).toBe(false);
    expect(isLegalMove(state, "expired", { ...PLAIN, unresolved: true })).toBe(false);
    expect(isLegalMove(state, "dead", { ...PLAIN, unresolved: true })).toBe(true);
  }
});

test("the dead come back by redrive alone, or as delivered when their outcome was unknown", () => {
  const dead = { ...PLAIN, reason: "attempts_exhausted" };
  expect(isLegalMove("dead", "ready", dead)).toBe(false);
  expect(isLegalMove("dead", "ready", { ...dead, redriven: true })).toBe(true);
  expect(isLegalMove("dead", "delivered", dead)).toBe(false);
  expect(isLegalMove("dead", "delivered", { ...dead, reason: "outcome_unknown" })).toBe(true);
});
