/**
 * Runs once when a server process starts: spans are exported where a setting names a collector; a ledger that no server
 * has started on yet gets its name; then the first sweep heals what the process before left and rings the pumps of
 * partitions with live rows. It needs the database only; a failure is left to health checks and the cron.
 */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== "nodejs") return;
  const { guardOutput } = await import("./inngest/output");
  guardOutput();
  if (process.env.OTEL_EXPORTER_OTLP_ENDPOINT || process.env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) {
    const { startTracing } = await import("./inngest/trace-exporter");
    startTracing();
  }
  const [{ sweep }, { log }, { stampInstallation }] = await Promise.all([
    import("./inngest/sweep"),
    import("./inngest/log"),
    import("./db/restore/installation"),
  ]);
  await stampInstallation().catch((error: unknown) => log.error("naming the installation failed", { error }));
  void sweep("start").catch((error: unknown) => log.error("sweep failed", { error }));
}
