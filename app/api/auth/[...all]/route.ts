import { auth } from "../../../_auth/auth";
import { answered } from "../../../_shell/answered";
import { unavailableAnswer } from "../../v1/failure";

/**
 * What of the sign-in library answers over HTTP, by method: the link that is made on the host, and what other clients of
 * a session need. Everything else of it is called by our own pages, where limits hold, or not at all.
 */
const OPEN: Record<string, readonly string[]> = {
  GET: ["/api/auth/get-session", "/api/auth/magic-link/verify"],
  POST: ["/api/auth/sign-out"],
};

function handle(request: Request): Promise<Response> {
  return answered("auth", async () => {
    const { method, url, headers } = request;
    if (OPEN[method]?.includes(new URL(url).pathname) !== true)
      return new Response("Not found.\n", { status: 404 });
    // None of these reads a body, and nobody is to fill our memory with one.
    const answer = await auth().handler(new Request(url, { method, headers: withoutBody(headers) }));
    // The library makes 500 of whatever the database says.
    return answer.status >= 500 ? unavailableAnswer("unknown") : answer;
  });
}

function withoutBody(given: Headers): Headers {
  const headers = new Headers(given);
  for (const name of ["content-length", "content-type", "transfer-encoding"]) headers.delete(name);
  return headers;
}

export { handle as GET, handle as POST };
