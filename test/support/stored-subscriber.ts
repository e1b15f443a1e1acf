import type { Channel } from "../../db/rules/outcome";
import { putSubscriber } from "../../db/subscribers";
import type { Providers } from "../../standins/providers";

/** A subscriber whom these channels reach, with one push device, stored as the shop's backend does. */
export async function storeSubscriber(
  providers: Providers,
  externalId: string,
  channels: readonly Channel[],
): Promise<{ id: string; deviceId: string }> {
  const device = providers.addPushDevice();
  const number =
    1_000_000 + [...externalId].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 8_999_999, 7);
  const stored = await putSubscriber(externalId, {
    timeZone: "Europe/Berlin",
    locale: "en",
    verified: ["email", "phone"],
    ...(channels.includes("email") ? { email: `${externalId}@shopper.example` } : {}),
    ...(channels.includes("sms") ? { phone: `+1202${String(number).slice(0, 7)}` } : {}),
    ...(channels.includes("push")
      ? { pushSubscriptions: [{ endpoint: device.endpoint, keys: device.keys }] }
      : {}),
  });
  if (!stored.ok) throw new Error(JSON.stringify(stored.problem));
  return { id: stored.value.id, deviceId: device.deviceId };
}
