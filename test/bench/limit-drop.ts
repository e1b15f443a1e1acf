import type { Bench } from "./bench";
import { drain, PROVIDER_BURST } from "./drain";

/** The provider's limit falls without notice while a backlog drains, and comes back: what does that cost? */
export const bench: Bench = {
  question: "429s and time to drain while the provider's limit drops to 40 % for ten seconds",
  floor: "what the limit lets through, the drop included: (deliveries − burst + what the drop takes) ÷ rate",
  rates: { email: 100 },
  parameters: (scale) => ({
    ratePerSecond: 100,
    burst: PROVIDER_BURST,
    deliveries: Math.round(2000 * scale),
    dropAfterSeconds: 3 * scale,
    dropSeconds: 10 * scale,
    dropShare: 0.4,
  }),
  targets: {
    throttledPerThousand: { atMost: 10, peer: "BullMQ tuned 246, bare claim loop 40, pg-boss 3138" },
    drainOverFloor: { atMost: 1.06, peer: "BullMQ tuned 1.07, bare claim loop 1.07, pg-boss 2.27" },
    duplicates: { atMost: 0 },
  },
  run(stage, parameters) {
    const { dropAfterSeconds = 0, dropSeconds = 0, dropShare = 1 } = parameters;
    const drop = { afterSeconds: dropAfterSeconds, seconds: dropSeconds, share: dropShare };
    return drain(stage, parameters, { drop });
  },
};
