/**
 * Lets a process go on when nobody reads any more what it prints: a collector or a terminal that ended breaks the pipe.
 * Unheard, the failure of a write is an uncaught exception, which the framework prints, which fails again: a processor
 * core for nothing, for as long as the process lives.
 */
export function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
}

/**
 * What a terminal obeys without showing it, apart from what JSON and HTTP keep out themselves: the controls from U+0080
 * on, and what turns the direction of a line.
 */
const OBEYED = /[\u0080-\u009f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Writes them as JSON does (`\u009b`): the framework prints what stood in a stranger's header, and whoever reads a log in
 * a terminal would have it act.
 */
export function escapeControls(stream: NodeJS.WritableStream): void {
  const write = stream.write.bind(stream) as (...values: unknown[]) => boolean;
  stream.write = (chunk: unknown, ...more: unknown[]) =>
    write(typeof chunk === "string" ? chunk.replace(OBEYED, asEscape) : chunk, ...more);
}

function asEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** What this process prints from here on hurts neither it nor who reads it in a terminal. */
export function guardOutput(): void {
  outliveReaders();
  for (const stream of [process.stdout, process.stderr]) escapeControls(stream);
}
