import { Histogram, Registry } from "prom-client";
import type { Channel, Outcome } from "../db/rules/outcome";

/** A provider answers in tens of milliseconds when it is well and gives up after half a minute when it is not. */
const BUCKETS_SECONDS = [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30];

interface CallTimes {
  registry: Registry;
  histogram: Histogram<"channel" | "outcome">;
}

// Next bundles route handlers apart; the process has one registry, so it is on globalThis.
const holder = globalThis as unknown as { punctualCallTimes?: CallTimes };

function callTimes(): CallTimes {
  if (holder.punctualCallTimes === undefined) {
    const registry = new Registry();
    const histogram = new Histogram({
      name: "messaging_client_operation_duration_seconds",
      help: "How long provider calls of this process took, by channel and outcome class.",
      labelNames: ["channel", "outcome"],
      buckets: BUCKETS_SECONDS,
      registers: [registry],
    });
    holder.punctualCallTimes = { registry, histogram };
  }
  return holder.punctualCallTimes;
}

/** Notes one provider call: the only figure that is a process's own and not the ledger's. */
export function noteCallTime(channel: Channel, outcome: Outcome["class"], callMs: number): void {
  callTimes().histogram.observe({ channel, outcome }, callMs / 1000);
}

/** The process's own figures. */
export function callTimeRegistry(): Registry {
  return callTimes().registry;
}
