/**
 * Lets a process go on when nobody reads any more what it prints: a collector or a terminal that ended breaks the pipe.
 * Unheard, the failure of a write is an uncaught exception, which the framework prints, which fails again: a processor
 * core for nothing, for as long as the process lives.
 */
export function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
}
