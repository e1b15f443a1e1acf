import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Channel } from "../../db/rules/outcome";
import { makeReminders, makeShoppers, publish } from "../bench/load";
import { brokenPromises, faultsOf, proveChannels, untilEnded } from "../bench/proof";
import { type Stage, startStage } from "../bench/stage";
import { Dice } from "../simulation/dice";

/** The built app, the engine at hand and Postgres (with fsync) as processes, killed at random amid a burst. */
let stage: Stage;

/** Another storm each time; `STORM_SEED` repeats one as far as processes can be repeated. */
const SEED = process.env.STORM_SEED ?? String(Math.floor(Math.random() * 1_000_000));

const CHANNELS: Channel[] = ["email", "sms", "push"];
const REMINDERS = 150;
const SPREAD_MS = 30_000;
const AHEAD_MS = 8_000;

/** Each of them twice, in an order of the seed's. */
const VICTIMS = ["app", "engine", "postgres", "app", "engine", "postgres"] as const;

/** Two sweeps and the longest lease: when nothing has ended for so long, nothing will. */
const PATIENCE_MS = 200_000;

/** A guard against a test that hangs, and no more: `untilEnded` gives up by itself when nothing moves. */
const TIMEOUT_MS = 1_800_000;

beforeAll(async () => {
  stage = await startStage({ rates: { email: 40, sms: 40, push: 40 } });
});

afterAll(() => stage?.stop());

test(
  `storm ${SEED}: app, engine and Postgres are killed at random, and every promise is kept`,
  async () => {
    const dice = new Dice(`storm ${SEED}`);
    for (const provider of ["resend", "twilio", "push"] as const) {
      await stage.control(provider, { latencyMs: dice.pick([20, 200, 1_000]) });
    }
    const shoppers = await makeShoppers(stage, 30, CHANNELS);
    const startMs = Date.now() + AHEAD_MS;
    const wanted = Array.from({ length: REMINDERS }, (_, index) => ({
      subscriberId: shoppers[index % shoppers.length]?.id ?? "",
      dueAtMs: startMs + dice.int(0, SPREAD_MS),
      channels: CHANNELS,
    }));
    await makeReminders(stage, wanted);
    await publish(stage, shoppers);
    const story: string[] = [];
    const victims = VICTIMS.map((name) => ({ name, place: dice.random() }))
      .toSorted((one, other) => one.place - other.place)
      .map(({ name }) => name);
    for (const victim of victims) {
      await sleep(dice.int(500, (2 * (AHEAD_MS + SPREAD_MS)) / VICTIMS.length));
      story.push(`${((Date.now() - startMs) / 1000).toFixed(1)} s: ${victim}`);
      if (victim === "app") stage.killApp();
      else if (victim === "engine") stage.killEngine();
      else await stage.killDatabase();
    }
    await untilEnded(stage, REMINDERS * CHANNELS.length, PATIENCE_MS);
    const proofs = await proveChannels(stage);
    const told = `storm ${SEED}, killed at ${story.join(", ")}\n${JSON.stringify(proofs, null, 1)}`;
    expect([...proofs.flatMap(faultsOf), ...(await brokenPromises(stage))], told).toEqual([]);
    console.log(told);
  },
  TIMEOUT_MS,
);
