import type { Break } from "./answer";

type Answering = { fetch(request: Request): Promise<Response | Break> };

/**
 * A `fetch` that reaches the stand-ins without a socket and fails as undici's does: a hang ends only by the caller's signal,
 * broken connections are `TypeError: fetch failed` with the system's code as cause, a truncated body fails while it is read.
 * A caller that gave up does not stop the provider: what was accepted stays accepted.
 */
export function inProcessFetch(providers: Answering): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const { signal } = request;
    // Reading the reason now keeps the caller's own object: undici rejects with exactly that.
    const given = init?.signal ?? signal;
    if (given.aborted) throw given.reason;
    const answering = providers.fetch(request).then(materialise);
    // When the caller gives up first, nobody waits for this promise any more.
    answering.catch(() => {});
    let giveUp: (() => void) | undefined;
    const givenUp = new Promise<never>((_, reject) => {
      giveUp = () => reject(given.reason);
      given.addEventListener("abort", giveUp, { once: true });
    });
    try {
      return await Promise.race([answering, givenUp]);
    } finally {
      if (giveUp) given.removeEventListener("abort", giveUp);
    }
  };
}

function materialise(outcome: Response | Break): Response | Promise<never> {
  if (outcome instanceof Response) return outcome;
  switch (outcome.break) {
    case "hang":
      return new Promise<never>(() => {});
    case "reset":
      throw failed("read ECONNRESET", { code: "ECONNRESET", syscall: "read", errno: -104 });
    case "refuse":
      throw failed("connect ECONNREFUSED", { code: "ECONNREFUSED", syscall: "connect", errno: -111 });
    case "close":
      throw failed("other side closed", { code: "UND_ERR_SOCKET" });
    case "truncate":
      return truncated(outcome.response ?? new Response("", { status: 200 }));
  }
}

function failed(message: string, facts: Record<string, unknown>, outer = "fetch failed"): TypeError {
  return new TypeError(outer, { cause: Object.assign(new Error(message), facts) });
}

/** The head of a response and half its body, then the end of the connection. */
function truncated(response: Response): Response {
  const { status, headers } = response;
  const half = response.arrayBuffer().then((bytes) => new Uint8Array(bytes, 0, bytes.byteLength >> 1));
  let sent = false;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const bytes = await half;
      if (!sent && bytes.length > 0) {
        sent = true;
        controller.enqueue(bytes);
        return;
      }
      controller.error(failed("other side closed", { code: "UND_ERR_SOCKET" }, "terminated"));
    },
  });
  return new Response(body, { status, headers });
}
