import { afterEach, beforeEach, expect, test } from "vitest";
import { readPartitionHealth } from "../../db/console/partitions";
import { effects } from "../../db/effects";
import { World } from "../support/world";

let world: World;

beforeEach(async () => {
  world = await World.start(Date.UTC(2031, 4, 5, 9, 0, 0));
});

afterEach(() => world.close());

/** Work of the product that begins anew as soon as it is done. */
async function again(pauseMs: number): Promise<never> {
  for (;;) {
    await readPartitionHealth();
    await effects.sleep(pauseMs);
  }
}

test.each([0, 1])(
  "work that begins anew each %i ms ends the run within seconds, and is named",
  async (pauseMs) => {
    void world.app.act(() => again(pauseMs), "a restless reader").catch(() => {});
    const error: unknown = await world.advance(60_000).catch((thrown: unknown) => thrown);
    expect(String(error)).toMatch(/does not come to rest: \d+ effects since 2031-05-05T09:00:/);
    expect(String(error)).toMatch(
      /\d+ {2}a restless reader: before statement at db\/console\/partitions\.ts:\d+/,
    );
  },
);
