/** Deeper chains of causes are somebody's loop. */
const CAUSES_MAX = 5;

/** What errors of the database carry of what was asked, beside their message. */
const PERSONAL = ["params", "parameters", "args", "detail", "where", "internal_query"] as const;

/** A message of the query builder without the statement and the parameters that it repeats. */
export function withoutStatement(message: string): string {
  return message.replace(/Failed query[\s\S]*/, "Failed query");
}

/**
 * The same error without what people wrote: an error of the query builder repeats its statement with every parameter, in
 * its message, its stack and its properties, and whoever prints it (a framework, a library) would print sessions' tokens
 * and addresses. Code, constraint and the server's sentence stay.
 */
export function impersonal<Thrown>(error: Thrown): Thrown {
  for (
    let at: unknown = error, depth = 0;
    at instanceof Error && depth < CAUSES_MAX;
    at = at.cause, depth += 1
  ) {
    const bare = withoutStatement(at.message);
    if (at.stack !== undefined && bare !== at.message) at.stack = at.stack.replace(at.message, bare);
    at.message = bare;
    for (const name of PERSONAL) if (name in at) Reflect.deleteProperty(at, name);
  }
  return error;
}

/** Runs it, and lets no error out that tells what was asked. */
export async function impersonally<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw impersonal(error);
  }
}
