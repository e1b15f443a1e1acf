import * as bullmq from "./bullmq";
import * as graphileWorker from "./graphile-worker";
import type { Peer } from "./peer";
import * as pgBoss from "./pg-boss";

/** Every configuration that is measured, by the name that a worker is started with. */
export const PEERS: Record<string, Peer> = {
  "bullmq-documented": bullmq.documented,
  "bullmq-tuned": bullmq.tuned,
  "pg-boss-documented": pgBoss.documented,
  "pg-boss-tuned": pgBoss.tuned,
  "graphile-worker-documented": graphileWorker.documented,
  "graphile-worker-tuned": graphileWorker.tuned,
};
