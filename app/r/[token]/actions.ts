"use server";

import { redirect } from "next/navigation";
import { after } from "next/server";
import { ringDoorbell } from "../../../inngest/publish";
import { actByLink, LINK_ACTIONS, readChannel } from "../../_reminders/linked";
import { pathSegment } from "../../_shell/path-segment";

/** Does what the holder of a message asks on its page; the token is the right to, checked again here. */
export async function act(token: string, name: string, stopped?: string): Promise<void> {
  const action = LINK_ACTIONS.find((known) => known === name);
  const done = action !== undefined && (await actByLink(token, action, readChannel(stopped)));
  if (done) after(ringDoorbell);
  const said = done ? action : "late";
  redirect(
    `/r/${pathSegment(token)}?said=${said}${action === "stop" ? `&channel=${readChannel(stopped)}` : ""}`,
  );
}
