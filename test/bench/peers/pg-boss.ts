import PgBoss from "pg-boss";
import { Pace, type Peer, type PeerSettings, sendEmail, TRIES_MAX } from "./peer";

const NAME = "mail";

/** The least that it accepts between two looks into the queue. */
const POLLING_SECONDS = 0.5;

const BATCH = 50;

const open = async ({ databaseUrl }: PeerSettings) => {
  const boss = new PgBoss({ connectionString: databaseUrl, max: 10 });
  boss.on("error", (error) => console.error(error.message));
  await boss.start();
  await boss.createQueue(NAME);
  return boss;
};

/** It limits nothing at sending: a refused job fails and is tried again by `retryBackoff`, or the handler keeps a pace. */
function pgBoss(configuration: string, pace: ((perSecond: number) => Pace) | null): Peer {
  return {
    title: `pg-boss, ${configuration}`,
    store: "postgres",
    configuration: `batches of ${BATCH}, retryBackoff${pace === null ? "" : ", a pace kept in the handler"}`,
    async fill(settings, keys) {
      const boss = await open(settings);
      await boss.deleteQueue(NAME);
      await boss.createQueue(NAME);
      await boss.insert(
        keys.map((key) => ({
          name: NAME,
          data: { key },
          retryLimit: TRIES_MAX,
          retryDelay: 1,
          retryBackoff: true,
        })),
      );
      await boss.stop({ graceful: false });
    },
    async work(settings) {
      const boss = await open(settings);
      const line = pace?.(settings.ratePerSecond * 0.98) ?? null;
      const options = { batchSize: BATCH, pollingIntervalSeconds: POLLING_SECONDS };
      await boss.work<{ key: string }>(NAME, options, async (jobs) => {
        await Promise.all(
          jobs.map(async (job) => {
            await line?.turn();
            const answer = await sendEmail(settings, job.data.key);
            if (answer.accepted) return;
            line?.rest(answer.retryAfterMs);
            await boss.fail(NAME, job.id);
          }),
        );
      });
    },
  };
}

export const documented = pgBoss("documented", null);
export const tuned = pgBoss("tuned", (perSecond) => new Pace(perSecond));
