/**
 * The one name of a piece of work (P1). It is made when an occurrence opens and never changes through scheduling,
 * queueing, retries, dead-lettering, redrive and dashboard replay.
 *
 * All parts are UUIDs minted by the app: a sequence would repeat after a restore, while providers and the engine still
 * remember the old numbers.
 */
export type DeliveryKeyParts =
  | {
      source: "reminder";
      reminderId: string;
      occurrenceId: string;
      subscriberId: string;
      channel: "email" | "sms" | "push";
      deviceId?: string;
    }
  | {
      source: "notice";
      noticeId: string;
      subscriberId: string;
      channel: "email" | "sms" | "push";
      deviceId?: string;
    };

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The key's text form: `reminder:<id>:<occurrence>:<subscriber>:<channel>[:<device>]`, `notice:<id>:…`. */
export function deliveryKey(parts: DeliveryKeyParts): string {
  const head =
    parts.source === "reminder"
      ? `reminder:${parts.reminderId}:${parts.occurrenceId}`
      : `notice:${parts.noticeId}`;
  const device = parts.channel === "push" && parts.deviceId !== undefined ? `:${parts.deviceId}` : "";
  return `${head}:${parts.subscriberId}:${parts.channel}${device}`;
}

/** The parts of a key, or null for text that is not one. Inverse of `deliveryKey`. */
export function parseDeliveryKey(key: string): DeliveryKeyParts | null {
  const fields = key.split(":");
  const source = fields.shift();
  const count = source === "reminder" ? 3 : source === "notice" ? 2 : 0;
  if (count === 0) return null;
  const ids = fields.slice(0, count);
  const [channel, deviceId, ...rest] = fields.slice(count);
  if (ids.length !== count || rest.length > 0 || !ids.every((id) => UUID.test(id))) return null;
  if (channel !== "email" && channel !== "sms" && channel !== "push") return null;
  if (deviceId !== undefined && (channel !== "push" || !UUID.test(deviceId))) return null;
  const device = deviceId === undefined ? {} : { deviceId };
  if (source === "reminder") {
    const [reminderId = "", occurrenceId = "", subscriberId = ""] = ids;
    return { source, reminderId, occurrenceId, subscriberId, channel, ...device };
  }
  const [noticeId = "", subscriberId = ""] = ids;
  return { source: "notice", noticeId, subscriberId, channel, ...device };
}
