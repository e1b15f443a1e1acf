import { withoutStatement } from "../db/impersonal";

type Fields = Record<string, string | number | boolean | null | undefined | unknown>;

/**
 * The one log of the server side: a line of JSON with ids and counts, never an address, a text, a token or an endpoint.
 * Errors are reduced to name, code and message.
 */
function write(level: "info" | "warn" | "error", message: string, fields: Fields): void {
  const shown = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, value instanceof Error ? describe(value) : value]),
  );
  console[level](JSON.stringify({ level, message, ...shown }));
}

function describe(error: Error): { name: string; code: unknown; message: string } {
  const { code } = error as { code?: unknown };
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : "";
  // A database error repeats its statement and parameters, which may hold what people wrote.
  const message = `${withoutStatement(error.message)}${cause}`;
  return { name: error.name, code, message: message.slice(0, 300) };
}

export const log = {
  info: (message: string, fields: Fields = {}) => write("info", message, fields),
  warn: (message: string, fields: Fields = {}) => write("warn", message, fields),
  error: (message: string, fields: Fields = {}) => write("error", message, fields),
};
