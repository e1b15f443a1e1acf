import { BellRing, Mail, MessageSquareText } from "lucide-react";
import type { Channel } from "../../db/rules/outcome";

const ICONS: Record<Channel, typeof Mail> = { email: Mail, sms: MessageSquareText, push: BellRing };

/** The picture of a channel; always beside its name. */
export function ChannelIcon({ channel, className = "size-5" }: { channel: Channel; className?: string }) {
  const Icon = ICONS[channel];
  return <Icon aria-hidden className={`shrink-0 ${className}`} />;
}
