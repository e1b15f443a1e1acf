import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeReminders, makeShoppers, publish } from "../bench/load";
import { brokenPromises, faultsOf, proveChannels, untilEnded } from "../bench/proof";
import { type Stage, startStage } from "../bench/stage";

/** The built app as a process that is told to end (SIGTERM) while its calls are under way, as a deploy does it. */
let stage: Stage;

const EMAILS = 80;
const TEXTS = 40;
const AHEAD_MS = 6_000;
/** A call is this long, so that several are under way whenever the signal comes. */
const LATENCY_MS = 1_500;
const PATIENCE_MS = 150_000;

beforeAll(async () => {
  stage = await startStage({ rates: { email: 20, sms: 20 } });
});

afterAll(() => stage?.stop());

test("told to end amid its calls, the app loses none, sends none twice, and what it began is finished or handed back", async () => {
  for (const provider of ["resend", "twilio"] as const)
    await stage.control(provider, { latencyMs: LATENCY_MS });
  const shoppers = await makeShoppers(stage, 10, ["email", "sms"]);
  const dueAtMs = Date.now() + AHEAD_MS;
  const wanted = Array.from({ length: EMAILS + TEXTS }, (_, index) => ({
    subscriberId: shoppers[index % shoppers.length]?.id ?? "",
    dueAtMs,
    channels: [index < EMAILS ? ("email" as const) : ("sms" as const)],
  }));
  await makeReminders(stage, wanted);
  await publish(stage, shoppers);
  for (let round = 0; round < 2; round += 1) {
    await sleep(AHEAD_MS / (round + 1));
    stage.endApp();
  }
  await untilEnded(stage, EMAILS + TEXTS, PATIENCE_MS);
  const proofs = await proveChannels(stage);
  expect([...proofs.flatMap(faultsOf), ...(await brokenPromises(stage))]).toEqual([]);
}, 600_000);
