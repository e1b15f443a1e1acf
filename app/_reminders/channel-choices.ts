import { CHANNELS } from "../../db/rules/api-schemas";
import type { Language } from "../../db/rules/languages";
import type { Channel } from "../../db/rules/outcome";
import { maskPhone } from "../../db/rules/phone";
import { counted } from "../../db/rules/speech";
import type { Shopper } from "../../db/shoppers";
import type { OwnQuietHours } from "./quiet-question";

/** A channel as the picker offers it: only one that reaches somebody can be chosen. */
export interface ChannelChoice {
  channel: Channel;
  name: string;
  ready: boolean;
  /** Where it leads, or why it leads nowhere yet. */
  detail: string;
  /** What to do about a channel that is not ready; null for one that is. */
  remedy: string | null;
}

/** What the picker offers a shopper. */
export function channelChoices(shopper: Shopper, language: Language): ChannelChoice[] {
  const { picker, story } = language.words;
  return CHANNELS.map((channel): ChannelChoice => {
    const name = story.channel[channel];
    const closed = (detail: string, remedy: string) => ({ channel, name, ready: false, detail, remedy });
    const all = shopper.destinations.filter((destination) => destination.channel === channel);
    const ready = all.filter((destination) => destination.verified && destination.state === "active");
    const [first] = ready;
    if (shopper.off.reminders.includes(channel)) return closed(picker.off, picker.turnOn);
    if (first !== undefined) {
      const detail = detailOf(channel, first.address, ready, language);
      return { channel, name, ready: true, detail, remedy: null };
    }
    if (all.some((destination) => destination.state === "suppressed")) {
      return closed(picker.stopped[channel], picker.seeWhy);
    }
    return all.length > 0
      ? closed(picker.notConfirmed, picker.verify)
      : closed(picker.missing[channel], picker.add[channel]);
  });
}

function detailOf(
  channel: Channel,
  address: string,
  ready: Shopper["destinations"],
  { tag, words }: Language,
): string {
  switch (channel) {
    case "email":
      return address;
    case "sms":
      return maskPhone(address);
    case "push":
      return (
        (ready.length === 1 ? ready[0]?.label : null) ?? counted(words.picker.devices, ready.length, tag)
      );
  }
}

/** The quiet hours that the composer asks about, in the zone in which they are kept. */
export function quietOf({ quietHours, timeZone }: Shopper): OwnQuietHours | null {
  return quietHours === null ? null : { ...quietHours, timeZone };
}

/** What is chosen before anybody chose: what costs nothing and is ready. */
export function usualChannels(choices: readonly ChannelChoice[]): Channel[] {
  return choices.filter(({ channel, ready }) => ready && channel !== "sms").map(({ channel }) => channel);
}
