import { CHANNELS } from "../../db/rules/api-schemas";
import type { Channel } from "../../db/rules/outcome";
import { maskPhone } from "../../db/rules/phone";
import type { Shopper } from "../../db/shoppers";
import type { OwnQuietHours } from "./quiet-question";

/** A channel as the picker offers it: only one that reaches somebody can be chosen. */
export interface ChannelChoice {
  channel: Channel;
  ready: boolean;
  /** Where it leads, or why it leads nowhere yet. */
  detail: string;
  /** What to do about a channel that is not ready; null for one that is. */
  remedy: string | null;
}

/** What the picker offers a shopper. */
export function channelChoices(shopper: Shopper): ChannelChoice[] {
  return CHANNELS.map((channel): ChannelChoice => {
    const all = shopper.destinations.filter((destination) => destination.channel === channel);
    const ready = all.filter((destination) => destination.verified && destination.state === "active");
    const [first] = ready;
    if (shopper.off.includes(channel)) {
      return { channel, ready: false, detail: "You have turned it off for reminders.", remedy: "Turn on" };
    }
    if (first !== undefined) {
      return { channel, ready: true, detail: detailOf(channel, first.address, ready), remedy: null };
    }
    if (all.some((destination) => destination.state === "suppressed")) {
      return { channel, ready: false, detail: STOPPED[channel], remedy: "See why" };
    }
    return all.length > 0
      ? { channel, ready: false, detail: "Not confirmed yet.", remedy: "Verify" }
      : { channel, ready: false, detail: MISSING[channel], remedy: ADD[channel] };
  });
}

function detailOf(channel: Channel, address: string, ready: Shopper["destinations"]): string {
  switch (channel) {
    case "email":
      return address;
    case "sms":
      return maskPhone(address);
    case "push":
      return ready.length === 1 ? (ready[0]?.label ?? "One device") : `${ready.length} devices`;
  }
}

const STOPPED: Record<Channel, string> = {
  email: "This address takes no more mail.",
  sms: "Messages to this number are stopped.",
  push: "Notifications do not get through.",
};

const MISSING: Record<Channel, string> = {
  email: "No address yet.",
  sms: "No phone number yet.",
  push: "No device yet.",
};

const ADD: Record<Channel, string> = { email: "Add", sms: "Add a number", push: "Add this device" };

/** The quiet hours that the composer asks about, in the zone in which they are kept. */
export function quietOf({ quietHours, timeZone }: Shopper): OwnQuietHours | null {
  return quietHours === null ? null : { ...quietHours, timeZone };
}
