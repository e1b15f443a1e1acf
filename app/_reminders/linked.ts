import "server-only";
import { type LinkedReminder, readLinked } from "../../db/reminders/by-link";
import { cancelReminder } from "../../db/reminders/cancel";
import { finishReminder, noteOpened } from "../../db/reminders/done";
import { snoozeReminder } from "../../db/reminders/snooze";
import { CHANNELS } from "../../db/rules/api-schemas";
import type { Channel } from "../../db/rules/outcome";
import { tomorrowMorning } from "../../db/rules/presets";
import { unfollowShipment } from "../../db/shipments/follow";
import { readShipment, type ShipmentView } from "../../db/shipments/read";
import { readLocale, setChannelWanted } from "../../db/shoppers";
import { type Following, readLinkToken, readParcelToken } from "../../inngest/messages/links";

/** What the holder of a message may do about its reminder. */
export const LINK_ACTIONS = ["done", "snooze", "tomorrow", "cancel", "opened", "stop", "leave"] as const;
export type LinkAction = (typeof LINK_ACTIONS)[number];

/** An hour: what "later" means on a notification, and what other systems do. */
const SNOOZE_MINUTES = 60;

/** The reminder of a signed link; null for a token that we have not signed, or whose reminder is gone. */
export async function linkedReminder(token: string): Promise<LinkedReminder | null> {
  const id = readLinkToken(token);
  return id === null ? null : readLinked(id);
}

export function readChannel(value: unknown): Channel {
  return CHANNELS.find((channel) => channel === value) ?? "email";
}

/** Does it. False when the link is not ours or it was not possible any more; repeating it does no harm. */
export async function actByLink(
  token: string,
  action: LinkAction,
  channel: Channel = "email",
): Promise<boolean> {
  const following = readParcelToken(token);
  if (following !== null) return actOnParcel(following, action, channel);
  const linked = await linkedReminder(token);
  if (linked === null) return false;
  const { reminder, subscriberId, nowMs } = linked;
  const owner = { kind: "subscriber" as const, subscriberId };
  switch (action) {
    case "done":
      return (await finishReminder(owner, reminder.id)).ok;
    case "snooze":
      return (await snoozeReminder(owner, reminder.id, { minutes: SNOOZE_MINUTES })).ok;
    case "tomorrow": {
      const local = tomorrowMorning(nowMs, reminder.timeZone);
      const dueAt = { local, timeZone: reminder.timeZone };
      return (await snoozeReminder(owner, reminder.id, { dueAt })).ok;
    }
    case "cancel":
      return (await cancelReminder(owner, reminder.id)).ok;
    case "opened":
      return (await noteOpened(owner, reminder.id)).ok;
    case "stop":
      await setChannelWanted(subscriberId, "reminders", channel, false);
      return true;
    case "leave":
      return false;
  }
}

/** The parcel of a signed link, and who follows it; null for a token that we have not signed, or whose parcel or reader is gone. */
export async function linkedParcel(token: string): Promise<LinkedParcel | null> {
  const following = readParcelToken(token);
  if (following === null) return null;
  const [parcel, locale] = await Promise.all([
    readShipment({ id: following.shipmentId }),
    readLocale(following.subscriberId),
  ]);
  return parcel === null || locale === null ? null : { parcel, locale };
}

export interface LinkedParcel {
  parcel: ShipmentView;
  locale: string;
}

/** A parcel can be left, and its kind of message be stopped; nothing else is asked of its link. */
async function actOnParcel(
  { shipmentId, subscriberId }: Following,
  action: LinkAction,
  channel: Channel,
): Promise<boolean> {
  if (action === "leave") return (await unfollowShipment({ id: shipmentId }, subscriberId)).ok;
  if (action !== "stop" || (await readLocale(subscriberId)) === null) return false;
  await setChannelWanted(subscriberId, "shipments", channel, false);
  return true;
}
