import { type Config, config } from "../../db/config";
import type { Channel } from "../../db/rules/outcome";
import type { ProviderAdapter } from "./port";
import { createResendAdapter } from "./resend";
import { createTwilioAdapter } from "./twilio";
import { createWebPushAdapter } from "./web-push";

export type {
  AddressDestination,
  Prepared,
  PrepareInput,
  ProviderAdapter,
  ProviderAnswer,
  ProviderName,
  PushDestination,
  SendOptions,
  Unpreparable,
} from "./port";
export { isUnpreparable } from "./port";

const adapters = new WeakMap<Config, Map<Channel, ProviderAdapter>>();

/**
 * The way to a channel's provider, made from the process's settings. Throws where these are not usable, and for push
 * without VAPID keys.
 */
export function adapterFor(channel: Channel): ProviderAdapter {
  const settings = config();
  const made = adapters.get(settings) ?? new Map<Channel, ProviderAdapter>();
  adapters.set(settings, made);
  const adapter = made.get(channel) ?? createAdapter(channel, settings);
  made.set(channel, adapter);
  return adapter;
}

function createAdapter(channel: Channel, settings: Config): ProviderAdapter {
  switch (channel) {
    case "email":
      return createResendAdapter(settings.resend);
    case "sms":
      return createTwilioAdapter({ ...settings.twilio, appUrl: settings.appUrl });
    case "push":
      if (settings.webPush === null) {
        throw new Error(
          "Push needs VAPID_PUBLIC_KEY, VAPID_PRIVATE_KEY and VAPID_SUBJECT; they are not set.",
        );
      }
      return createWebPushAdapter(settings.webPush);
  }
}
