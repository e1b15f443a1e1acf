import type { Bench } from "./bench";
import { latenessOf, ledgerRows, notMadePerThousand, untilAccepted } from "./evidence";
import { percentile } from "./figures";
import { makeShoppers, remindAtRandom } from "./load";
import { warmUp } from "./warm-up";

/** Long enough ahead that every wait is the engine's. */
const AHEAD_MS = 8_000;

/** Reminders at random instants, at half of what the provider takes: how late does the call leave? */
export const bench: Bench = {
  question: "lateness from the due instant to the call's arrival, random instants at half the rate",
  floor: "0 ms; two at one instant stand a slot apart",
  rates: { email: 100 },
  parameters: (scale) => ({ ratePerSecond: 100, load: 0.5, seconds: Math.max(5, Math.round(20 * scale)) }),
  targets: {
    latenessP50Ms: { atMost: 10, peer: "graphile-worker 4.3 from adding to starting, without a meter" },
    latenessP99Ms: { atMost: 60 },
    latenessMinMs: { atLeast: 0 },
    throttledPerThousand: { atMost: 0 },
    duplicates: { atMost: 0 },
  },
  async run(stage, { ratePerSecond = 0, load = 0, seconds = 0 }) {
    await stage.control("resend", { ratePerSecond, burst: 10 });
    await warmUp(stage, ["email"]);
    const count = Math.round(ratePerSecond * load * seconds);
    const shoppers = await makeShoppers(stage, count, ["email"]);
    await remindAtRandom(stage, shoppers, { startMs: Date.now() + AHEAD_MS, seconds }, ["email"]);
    await untilAccepted(stage, "resend", count, AHEAD_MS + seconds * 1000 + 60_000);
    const [calls, summary] = [await stage.calls("resend"), await stage.summary("resend")];
    const late = latenessOf(calls, await ledgerRows(stage, "email"));
    return {
      latenessP50Ms: percentile(late, 0.5),
      latenessP90Ms: percentile(late, 0.9),
      latenessP99Ms: percentile(late, 0.99),
      latenessMaxMs: Math.max(...late),
      latenessMinMs: Math.min(...late),
      throttledPerThousand: (summary.throttled / summary.accepted) * 1000,
      duplicates: summary.duplicates,
      notMadePerThousand: await notMadePerThousand(stage),
      missing: count - summary.accepted,
    };
  },
};
