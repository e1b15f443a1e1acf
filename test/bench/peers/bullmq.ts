import { Queue, Worker } from "bullmq";
import { CONCURRENCY, type Peer, type PeerSettings, sendEmail, TRIES_MAX } from "./peer";

const NAME = "mail";

const connection = ({ redisUrl }: PeerSettings) => ({
  host: "127.0.0.1",
  port: Number(new URL(redisUrl).port),
  maxRetriesPerRequest: null,
});

/**
 * As https://docs.bullmq.io/guide/rate-limiting shows it: the worker's own limiter, and on a 429 the queue is closed for
 * the time that the provider names.
 */
function bullmq(configuration: string, limiter: { max: number; duration: number }): Peer {
  return {
    title: `BullMQ, ${configuration}`,
    store: "redis",
    configuration: `limiter ${limiter.max} per ${limiter.duration} ms, queue.rateLimit and RateLimitError on 429`,
    async fill(settings, keys) {
      const queue = new Queue(NAME, { connection: connection(settings) });
      await queue.obliterate({ force: true });
      await queue.addBulk(
        keys.map((key) => ({
          name: NAME,
          data: { key },
          opts: { attempts: TRIES_MAX, removeOnComplete: true },
        })),
      );
      await queue.close();
    },
    async work(settings) {
      const queue = new Queue(NAME, { connection: connection(settings) });
      const worker = new Worker<{ key: string }>(
        NAME,
        async (job) => {
          const answer = await sendEmail(settings, job.data.key);
          if (answer.accepted) return;
          await queue.rateLimit(answer.retryAfterMs);
          throw Worker.RateLimitError();
        },
        { connection: connection(settings), concurrency: CONCURRENCY, limiter },
      );
      worker.on("error", (error) => console.error(error.message));
      await worker.waitUntilReady();
    },
  };
}

export const documented = bullmq("documented", { max: 100, duration: 1000 });
export const tuned = bullmq("tuned", { max: 9, duration: 100 });
