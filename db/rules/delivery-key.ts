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
      source: "shipment";
      shipmentId: string;
      /** The parcel's version that the update announces. */
      version: number;
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

const VERSION = /^[1-9]\d{0,8}$/;

/**
 * The key's text form: `reminder:<id>:<occurrence>:<subscriber>:<channel>[:<device>]`,
 * `shipment:<id>:<version>:<subscriber>:<channel>[:<device>]`, `notice:<id>:<subscriber>:<channel>[:<device>]`.
 */
export function deliveryKey(parts: DeliveryKeyParts): string {
  const device = parts.channel === "push" && parts.deviceId !== undefined ? `:${parts.deviceId}` : "";
  return `${keyHead(parts)}:${parts.subscriberId}:${parts.channel}${device}`;
}

function keyHead(parts: DeliveryKeyParts): string {
  switch (parts.source) {
    case "reminder":
      return `reminder:${parts.reminderId}:${parts.occurrenceId}`;
    case "shipment":
      return `shipment:${parts.shipmentId}:${parts.version}`;
    case "notice":
      return `notice:${parts.noticeId}`;
  }
}

/** The parts of a key, or null for text that is not one. Inverse of `deliveryKey`. */
export function parseDeliveryKey(key: string): DeliveryKeyParts | null {
  const [source, ...fields] = key.split(":");
  // A notice has no second part before its subscriber.
  const [id = "", second = ""] = fields;
  const [subscriberId = "", channel, deviceId, ...rest] = fields.slice(source === "notice" ? 1 : 2);
  if (rest.length > 0 || !UUID.test(id) || !UUID.test(subscriberId)) return null;
  if (channel !== "email" && channel !== "sms" && channel !== "push") return null;
  if (deviceId !== undefined && (channel !== "push" || !UUID.test(deviceId))) return null;
  const target = { subscriberId, channel, ...(deviceId === undefined ? {} : { deviceId }) } as const;
  switch (source) {
    case "reminder":
      return UUID.test(second) ? { source, reminderId: id, occurrenceId: second, ...target } : null;
    case "shipment":
      return VERSION.test(second) ? { source, shipmentId: id, version: Number(second), ...target } : null;
    case "notice":
      return { source, noticeId: id, ...target };
    default:
      return null;
  }
}
