import { after } from "next/server";
import { z } from "zod";
import { ringDoorbell } from "../../../../inngest/publish";
import { actByLink } from "../../../_reminders/linked";
import { answered } from "../../../_shell/answered";
import { readText } from "../../v1/body";

/** What a notification can answer. */
const body = z.object({ action: z.enum(["done", "snooze", "opened"]) });

/** A press on a notification's button is a few dozen bytes. */
const BODY_BYTES_MAX = 1_000;

/** Takes the answer that somebody gave on a notification; the token in it is the right to answer, not a session. */
export function POST(request: Request, { params }: RouteContext<"/api/answers/[token]">): Promise<Response> {
  return answered("answers", async () => take(request, (await params).token));
}

async function take(request: Request, token: string): Promise<Response> {
  const parsed = body.safeParse(await readJson(request));
  if (!parsed.success) return Response.json({ detail: "action: done, snooze or opened" }, { status: 422 });
  const done = await actByLink(token, parsed.data.action);
  if (done) after(ringDoorbell);
  return new Response(null, { status: done ? 204 : 404, headers: { "cache-control": "no-store" } });
}

async function readJson(request: Request): Promise<unknown> {
  const text = await readText(request, BODY_BYTES_MAX);
  if (!text.ok) return null;
  try {
    return JSON.parse(text.value);
  } catch {
    return null;
  }
}
