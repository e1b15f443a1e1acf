import { Logger, makeWorkerUtils, run } from "graphile-worker";
import { CONCURRENCY, Pace, type Peer, sendEmail, TRIES_MAX } from "./peer";

const NAME = "mail";

/** It limits nothing at sending: a refused job throws and is tried again after e^tries seconds, or the task keeps a pace. */
function graphileWorker(configuration: string, pace: ((perSecond: number) => Pace) | null): Peer {
  return {
    title: `graphile-worker, ${configuration}`,
    store: "postgres",
    configuration:
      pace === null
        ? `concurrency ${CONCURRENCY}, a refused job throws`
        : `concurrency ${CONCURRENCY}, a pace kept in the task, a refused job again at its time`,
    async fill({ databaseUrl }, keys) {
      const utils = await makeWorkerUtils({ connectionString: databaseUrl });
      await utils.migrate();
      await utils.withPgClient((client) =>
        client.query(
          "select graphile_worker.add_job($1, json_build_object('key', key), max_attempts := $3::int) from unnest($2::text[]) key",
          [NAME, keys, TRIES_MAX],
        ),
      );
      await utils.release();
    },
    async work(settings) {
      const line = pace?.(settings.ratePerSecond * 0.98) ?? null;
      await run({
        connectionString: settings.databaseUrl,
        concurrency: CONCURRENCY,
        // As it advises; and a line for each refusal would cost it more than the refusal.
        maxPoolSize: CONCURRENCY,
        logger: new Logger(() => () => {}),
        noHandleSignals: true,
        taskList: {
          [NAME]: async (payload, helpers) => {
            const { key } = payload as { key: string };
            await line?.turn();
            const answer = await sendEmail(settings, key);
            if (answer.accepted) return;
            if (line === null) throw new Error("too many requests");
            line.rest(answer.retryAfterMs);
            const runAt = new Date(Date.now() + answer.retryAfterMs);
            await helpers.addJob(NAME, { key }, { runAt, maxAttempts: TRIES_MAX });
          },
        },
      });
    },
  };
}

export const documented = graphileWorker("documented", null);
export const tuned = graphileWorker("tuned", (perSecond) => new Pace(perSecond));
