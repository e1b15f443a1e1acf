import { actByLink, linkedReminder, readChannel } from "../../../_reminders/linked";

/**
 * One-click unsubscription (RFC 8058): a mail program posts here without cookies and without asking anybody, and no
 * answer redirects it. Posting again changes nothing more. A token that is not ours is answered alike for every reason.
 */
export async function POST(request: Request, { params }: RouteContext<"/api/unsubscribe/[token]">) {
  const channel = readChannel(new URL(request.url).searchParams.get("channel"));
  const stopped = await actByLink((await params).token, "stop", channel);
  return new Response(stopped ? "Unsubscribed.\n" : "This link leads nowhere.\n", {
    status: stopped ? 200 : 404,
    headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" },
  });
}

/** Somebody, or a scanner, opens the address: nothing changes, the page asks. */
export async function GET(request: Request, { params }: RouteContext<"/api/unsubscribe/[token]">) {
  const { token } = await params;
  const channel = readChannel(new URL(request.url).searchParams.get("channel"));
  const known = (await linkedReminder(token)) !== null;
  return new Response(null, {
    status: 303,
    headers: {
      location: known ? `/r/${encodeURIComponent(token)}?stop=${channel}` : "/r/unknown",
      "cache-control": "no-store",
    },
  });
}
