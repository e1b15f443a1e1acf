import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { until } from "../../commands/stack-programs";
import type { Channel } from "../../db/rules/outcome";
import { makeReminders, makeShoppers, publish } from "./load";
import { brokenPromises, type ChannelProof, faultsOf, proveChannels, untilEnded } from "./proof";
import { type Stage, startStage } from "./stage";

/** How many reminders of each channel; together 500. */
const REMINDERS: Record<Channel, number> = { email: 200, sms: 150, push: 150 };

/** What the app may send a second. */
const RATES: Record<Channel, number> = { email: 30, sms: 10, push: 50 };

/** They are due over these seconds, so that SMS is under way when it is throttled. */
const SPREAD_MS = 20_000;
const AHEAD_MS = 6_000;

/** The SMS limit sinks to this for so long, once a third of the messages is out. */
const THROTTLED = { ratePerSecond: 2, burst: 1 };
const THROTTLED_MS = 10_000;

/** A lease and two sweeps beyond the last instant. */
const HEALED_MS = 180_000;

/** Stories of the demo go to standard error with `--json`, so that the report stands alone. */
type Say = (line: string) => void;

/** Runs the demo and prints its proof. Answers 1 when something was lost, doubled or early. */
export async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { json: { type: "boolean", default: false } } });
  const say: Say = (line) => (values.json ? process.stderr : process.stdout).write(`${line}\n`);
  say("starting Postgres, the engine, the providers' stand-ins and the app");
  const stage = await startStage({
    rates: RATES,
    onStarting: (stop) => {
      for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
        process.once(signal, () => void stop().then(() => process.exit(130)));
      }
    },
  });
  try {
    await burst(stage, say);
    const proofs = await proveChannels(stage);
    const faults = [...proofs.flatMap(faultsOf), ...(await brokenPromises(stage))];
    if (values.json) console.log(JSON.stringify({ name: "demo", channels: proofs, faults }));
    else printProof(proofs, faults);
    return faults.length === 0 ? 0 : 1;
  } catch (error) {
    say(stage.tail());
    throw error;
  } finally {
    await stage.stop();
  }
}

async function burst(stage: Stage, say: Say): Promise<void> {
  const channels = Object.keys(REMINDERS) as Channel[];
  const shoppers = await makeShoppers(stage, 50, channels);
  const startMs = Date.now() + AHEAD_MS;
  const wanted = channels.flatMap((channel) =>
    Array.from({ length: REMINDERS[channel] }, (_, index) => ({
      subscriberId: shoppers[index % shoppers.length]?.id ?? "",
      dueAtMs: startMs + (index * SPREAD_MS) / REMINDERS[channel],
      channels: [channel],
    })),
  );
  await makeReminders(stage, wanted);
  await publish(stage, shoppers);
  say(`${wanted.length} reminders are set, due over ${SPREAD_MS / 1000} s (engine: ${stage.engineKind})`);
  await until(
    "a third of the SMS is out",
    HEALED_MS,
    async () => (await stage.summary("twilio")).accepted >= REMINDERS.sms / 3,
  );
  say(
    `SMS is throttled: the provider takes ${THROTTLED.ratePerSecond} a second of our ${RATES.sms}, for ${THROTTLED_MS / 1000} s`,
  );
  await stage.control("twilio", THROTTLED);
  await sleep(THROTTLED_MS / 2);
  say("kill -9 of the app");
  stage.killApp();
  await sleep(THROTTLED_MS / 2);
  await stage.control("twilio", { ratePerSecond: 50, burst: 10 });
  say("SMS is back at its limit; waiting until everything has ended (what was under way when the app died");
  say("is taken up when its lease or admission is over, 15 to 35 s later: these are the latest below)");
  await untilEnded(stage, wanted.length, HEALED_MS);
}

function printProof(proofs: readonly ChannelProof[], faults: readonly string[]): void {
  const rows: [string, (proof: ChannelProof) => number][] = [
    ["reminders", ({ deliveries }) => deliveries],
    ["accepted by the provider", ({ accepted }) => accepted],
    ["sent twice", ({ duplicates, replaced }) => duplicates - replaced],
    ["replaced on the device", ({ replaced }) => replaced],
    ["429s absorbed", ({ throttled }) => throttled],
    ["outcome unknown, for a person", ({ unknown }) => unknown],
    ["  accepted, the answer was lost", ({ unknownAccepted }) => unknownAccepted],
    ["lateness p50, ms", ({ latenessP50Ms }) => latenessP50Ms],
    ["lateness p99, ms", ({ latenessP99Ms }) => latenessP99Ms],
    ["earliest, ms after its instant", ({ earliestMs }) => earliestMs],
  ];
  const cell = (text: string | number) => String(text).padStart(8);
  console.log(`\n${"".padEnd(32)}${proofs.map(({ channel }) => cell(channel)).join("")}`);
  for (const [name, of] of rows) {
    console.log(`${name.padEnd(32)}${proofs.map((proof) => cell(of(proof))).join("")}`);
  }
  console.log("");
  if (faults.length === 0)
    console.log("Nothing lost, nothing sent twice, nothing early; every promise is kept.");
  for (const fault of faults) console.log(`BROKEN  ${fault}`);
}
