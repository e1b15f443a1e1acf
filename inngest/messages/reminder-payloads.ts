import type { RenderedPayload } from "../../db/payloads";
import { formatWhen } from "../../db/rules/due-time";
import type { Channel } from "../../db/rules/outcome";
import { linkToken, managePage, unsubscribeAddress } from "./links";
import { renderReminder } from "./render";

export interface RenderableReminder {
  reminderId: string;
  title: string;
  note: string | null;
  url: string | null;
  dueAtMs: number;
  timeZone: string;
  locale: string;
  channels: readonly Channel[];
}

/** Renders a reminder for its channels, as payloads store it: content and what one send costs. */
export async function renderForChannels(
  reminder: RenderableReminder,
): Promise<Pick<RenderedPayload, "channel" | "content" | "cost">[]> {
  const rendered = await renderReminder({
    title: reminder.title,
    note: reminder.note,
    url: reminder.url,
    whenText: formatWhen(reminder.dueAtMs, reminder.timeZone, reminder.locale),
    manageUrl: managePage(reminder.reminderId),
    stopUrl: `${managePage(reminder.reminderId)}?stop=email`,
    unsubscribeUrl: unsubscribeAddress(reminder.reminderId),
    token: linkToken(reminder.reminderId),
    locale: reminder.locale,
  });
  return reminder.channels.map((channel) => ({
    channel,
    content: rendered[channel],
    cost: channel === "sms" ? rendered.sms.segments : 1,
  }));
}
