/**
 * Runs once when a server process starts: the first sweep, which heals what the process before left and rings the pumps
 * of partitions with live rows. It needs the database only; a failure is left to health checks and the cron.
 */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== "nodejs") return;
  const [{ sweep }, { log }] = await Promise.all([import("./inngest/sweep"), import("./inngest/log")]);
  void sweep("start").catch((error: unknown) => log.error("sweep failed", { error }));
}
