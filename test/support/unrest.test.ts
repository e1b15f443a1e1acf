import { describe, expect, test } from "vitest";
import { AppProcess } from "./app-process";
import { LiveLock, Unrest } from "./unrest";

const START_MS = Date.UTC(2031, 4, 5, 9, 0, 0);

describe("a world that is busy without end", () => {
  test("is told from one that is only busy: as much again is fine when time has moved on", () => {
    const unrest = new Unrest(1_000);
    for (let second = 0; second < 5; second += 1) {
      unrest.at(START_MS + second * 1_000);
      for (let count = 1; count < 1_000; count += 1) expect(unrest.note("a statement")).toBe(false);
    }
    unrest.check();
  });

  test("is told from one whose time creeps: a second must pass, not a millisecond", () => {
    const unrest = new Unrest(1_000);
    for (let count = 1; count < 1_000; count += 1) {
      unrest.at(START_MS + Math.floor(count / 2));
      expect(unrest.note("a sleep")).toBe(false);
    }
    expect(unrest.note("a sleep")).toBe(true);
  });

  test("says when, who is at work and what repeats", () => {
    const unrest = new Unrest(1_000);
    unrest.at(START_MS + 250);
    for (let count = 0; count < 1_000; count += 1)
      unrest.note(
        count % 4 === 0 ? "admit-deliveries: before transaction" : "deliver-sms: before transaction",
      );
    expect(() => unrest.check()).toThrow(LiveLock);
    expect(() => unrest.check()).toThrow(/1000 effects since 2031-05-05T09:00:00\.250Z/);
    expect(() => unrest.check()).toThrow(
      / {2}300 {2}deliver-sms: before transaction\n {3}100 {2}admit-deliveries/,
    );
  });
});

describe("a process", () => {
  test("whose work calls itself up again at the same instant is ended, also in the middle of a transaction", async () => {
    const app = new AppProcess(async () => new Response());
    app.unrest.at(START_MS);
    const work = app.act(async () => {
      for (;;) await app.statement(() => app.statement(async () => {}));
    }, "deliver-sms");
    await expect(work).rejects.toThrow("fetch failed");
    await app.noTransaction();
    expect(app.down).toBe(true);
    expect(() => app.unrest.check()).toThrow(/deliver-sms: (before|after) (transaction|statement)/);
  });

  test("whose work sleeps for nothing is ended: it would not even let the event loop turn", async () => {
    const app = new AppProcess(async () => new Response());
    app.unrest.at(START_MS);
    const work = app.act(async () => {
      for (;;) await app.waiting("sleep", async () => {});
    }, "wait-until-due");
    await expect(work).rejects.toThrow("fetch failed");
    expect(() => app.unrest.check()).toThrow(/wait-until-due: (before|after) sleep/);
  });
});
