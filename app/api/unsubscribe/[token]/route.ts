import { actByLink, linkedParcel, linkedReminder, readChannel } from "../../../_reminders/linked";
import { answered } from "../../../_shell/answered";
import { pathSegment } from "../../../_shell/path-segment";

type Context = RouteContext<"/api/unsubscribe/[token]">;

/**
 * One-click unsubscription (RFC 8058): a mail program posts here without cookies and without asking anybody, and no
 * answer redirects it. Posting again changes nothing more. A token that is not ours is answered alike for every reason.
 */
export function POST(request: Request, { params }: Context): Promise<Response> {
  return answered("unsubscribe", async () => stop(request, (await params).token));
}

async function stop(request: Request, token: string): Promise<Response> {
  const channel = readChannel(new URL(request.url).searchParams.get("channel"));
  const stopped = await actByLink(token, "stop", channel);
  return new Response(stopped ? "Unsubscribed.\n" : "This link leads nowhere.\n", {
    status: stopped ? 200 : 404,
    headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" },
  });
}

/** Somebody, or a scanner, opens the address: nothing changes, the page asks. */
export function GET(request: Request, { params }: Context): Promise<Response> {
  return answered("unsubscribe", async () => lead(request, (await params).token));
}

async function lead(request: Request, token: string): Promise<Response> {
  const channel = readChannel(new URL(request.url).searchParams.get("channel"));
  const known = (await linkedReminder(token)) !== null || (await linkedParcel(token)) !== null;
  return new Response(null, {
    status: 303,
    headers: {
      location: known ? `/r/${pathSegment(token)}?stop=${channel}` : "/r/unknown",
      "cache-control": "no-store",
    },
  });
}
