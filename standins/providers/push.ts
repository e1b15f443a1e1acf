import { type Answer, json, problem } from "./answer";
import { exchange, type Outcome, type Processed } from "./exchange";
import type { Refusal } from "./faults";
import type { Line } from "./line";
import { type Message, remember } from "./message-store";
import { checkVapid, type DeviceKeys, decryptPush, newDeviceKeys } from "./push-crypto";
import {
  effectiveTtl,
  largestBody,
  PUSH_PROFILES,
  type PushProfile,
  type PushRefusal,
  refusalOfStatus,
  wordPushAcceptance,
  wordPushRefusal,
} from "./push-profiles";
import { retryAfterHeader } from "./settings";
import type { World } from "./world";

/** What a browser hands to the app: a PushSubscription as JSON, and the stand-in's name for the device. */
export type PushDevice = { deviceId: string; endpoint: string; keys: { p256dh: string; auth: string } };

/** What may be said about a device when it is made. */
export type PushDeviceOptions = {
  profile?: PushProfile;
  /** The VAPID public key it subscribes with; any other key is then refused, as by a real service. */
  applicationServerKey?: string;
};

type Device = {
  id: string;
  endpoint: string;
  profile: PushProfile;
  applicationServerKey: string | null;
  keys: DeviceKeys;
  removed: boolean;
};

type PushPost = { device: Device; headers: Headers; body: Buffer; key: string | null };

const TOPIC = /^[A-Za-z0-9_-]{1,32}$/;
const URGENCIES = ["very-low", "low", "normal", "high"];

/** Stands in for the browsers' push services below `/push`, and for the browsers themselves. */
export class PushStandIn {
  readonly #world: World;
  readonly #line: Line;
  readonly #devices = new Map<string, Device>();
  /** The last message of each device and topic. */
  readonly #shownByTopic = new Map<string, string>();

  constructor(world: World) {
    this.#world = world;
    this.#line = world.lines.push;
  }

  /** A browser that has just subscribed. */
  addDevice({ profile = "fcm", applicationServerKey }: PushDeviceOptions = {}): PushDevice {
    const id = this.#world.newId();
    const endpoint = `${this.#world.baseUrl}/push/${id}`;
    const serverKey = applicationServerKey ?? null;
    const keys = newDeviceKeys();
    this.#devices.set(id, { id, endpoint, profile, applicationServerKey: serverKey, keys, removed: false });
    return { deviceId: id, endpoint, keys: { p256dh: keys.p256dh, auth: keys.auth } };
  }

  /** The browser unsubscribes: its endpoint is gone from now on. False when there is no such device. */
  removeDevice(id: string): boolean {
    const device = this.#devices.get(id);
    if (device) device.removed = true;
    return device !== undefined;
  }

  /** Makes a device from the body of a control request. */
  addDeviceFrom(body: unknown): Answer {
    const { profile, applicationServerKey } = (body ?? {}) as Record<string, unknown>;
    if (profile !== undefined && !PUSH_PROFILES.includes(profile as PushProfile)) {
      const accepted = PUSH_PROFILES.join(", ");
      return problem(422, `profile must be one of ${accepted}.`, { field: "profile", accepted });
    }
    if (applicationServerKey !== undefined && typeof applicationServerKey !== "string") {
      const accepted = "a base64url VAPID public key";
      return problem(422, `applicationServerKey must be ${accepted}.`, {
        field: "applicationServerKey",
        accepted,
      });
    }
    return json(201, this.addDevice({ profile: profile as PushProfile | undefined, applicationServerKey }));
  }

  /** All devices, without what only the browser knows. */
  listDevices(): (PushDevice & { profile: PushProfile; removed: boolean })[] {
    return [...this.#devices.values()].map(({ id, endpoint, keys, profile, removed }) => ({
      deviceId: id,
      endpoint,
      keys: { p256dh: keys.p256dh, auth: keys.auth },
      profile,
      removed,
    }));
  }

  /** Answers one request; `path` is what follows `/push`. */
  async answer(request: Request, path: string): Promise<Outcome> {
    const { clock, ledger } = this.#world;
    const at = clock.nowMs();
    const id = path.slice(1);
    const device = this.#devices.get(id);
    if (request.method !== "POST") return wordPushRefusal(device?.profile ?? "fcm", "bad_request", {}, 405);
    const body = Buffer.from(await request.arrayBuffer());
    const key = request.headers.get("topic");
    const destination = device?.endpoint ?? `${this.#world.baseUrl}/push${path}`;
    const call = ledger.arrive({ provider: "push", call: "send", at, key, destination });
    const post = device && { device, headers: request.headers, body, key };
    return exchange(clock, this.#line, {
      call,
      destinations: [destination, id],
      refuse: () => {
        const waitSeconds = this.#line.throttle(clock.nowMs());
        const profile = device?.profile ?? "fcm";
        if (waitSeconds !== null) return this.#wordThrottle(profile, "throttled", waitSeconds);
        const refusal = post ? this.#objection(post) : "unknown";
        return refusal && wordPushRefusal(profile, refusal);
      },
      process: () => this.#process(post as PushPost),
      word: (refusal) => this.#word(device?.profile ?? "fcm", refusal),
    });
  }

  clear(): void {
    this.#devices.clear();
    this.#shownByTopic.clear();
  }

  /** What a push service finds wrong with a request, in the order of RFC 8030: whether, how, what, by whom. */
  #objection({ device, headers, body, key }: PushPost): PushRefusal | null {
    if (device.removed) return "gone";
    const ttl = headers.get("ttl");
    if (ttl === null || !/^\d{1,10}$/.test(ttl)) return "ttl_missing";
    const cachePolicy = headers.get("x-wns-cache-policy");
    if (device.profile === "wns" && Number(ttl) === 0 && cachePolicy !== "no-cache") return "ttl_conflict";
    if (key !== null && !TOPIC.test(key)) return "topic";
    const urgency = headers.get("urgency");
    if (urgency !== null && !URGENCIES.includes(urgency)) return "urgency";
    if (body.length > 0 && headers.get("content-encoding")?.toLowerCase() !== "aes128gcm") return "encoding";
    if (body.length > largestBody(device.profile)) return "too_large";
    return this.#objectionToSender(device, headers.get("authorization"));
  }

  #objectionToSender(device: Device, authorization: string | null): PushRefusal | null {
    if (authorization === null) return "vapid_missing";
    const vapid = checkVapid(authorization, new URL(device.endpoint).origin, this.#world.vapidNowMs());
    if (!vapid.ok) return "vapid_invalid";
    if (device.profile === "apple" && !isPlainSubject(vapid.subject)) return "vapid_invalid";
    const bound = device.applicationServerKey;
    return bound !== null && bound !== vapid.publicKey ? "vapid_mismatch" : null;
  }

  #process({ device, headers, body, key }: PushPost): Processed {
    const { clock, newId, baseUrl } = this.#world;
    const nowMs = clock.nowMs();
    const refused = { accepted: false, repeat: false, providerMessageId: null, fault: null };
    // The device may have unsubscribed while the request was on its way.
    if (device.removed) return { ...refused, answer: wordPushRefusal(device.profile, "gone") };
    if (this.#line.brokenQuota(nowMs, 1)) {
      const { retryAfterSeconds } = this.#line.settings;
      return { ...refused, answer: this.#wordThrottle(device.profile, "throttled", retryAfterSeconds) };
    }
    this.#line.spend(nowMs, 1);
    const dropped =
      device.profile === "wns" ? this.#line.takeFault("during", [device.endpoint, device.id]) : null;
    const id = newId();
    if (!dropped) this.#show(device, id, body, key);
    const ttlSeconds = effectiveTtl(device.profile, Number(headers.get("ttl")));
    const location = `${baseUrl}/push-messages/${id}`;
    const answer = wordPushAcceptance(device.profile, location, id, ttlSeconds, dropped !== null);
    const fault = dropped?.name ?? null;
    return {
      answer,
      accepted: dropped === null,
      repeat: false,
      providerMessageId: dropped ? null : id,
      fault,
    };
  }

  /** The device gets the message at once; one with the same topic takes the former one's place. */
  #show(device: Device, id: string, body: Buffer, key: string | null): void {
    const { messages, clock } = this.#world;
    const text = body.length > 0 ? decryptPush(device.keys, body) : null;
    if (key !== null) {
      const place = `${device.id} ${key}`;
      const former = messages.get(this.#shownByTopic.get(place) ?? "");
      if (former) former.replacedBy = id;
      remember(this.#shownByTopic, place, id);
    }
    messages.add({
      provider: "push",
      channel: "push",
      providerMessageId: id,
      at: clock.nowMs(),
      key,
      recipients: [device.endpoint],
      aliases: [device.id],
      to: device.endpoint,
      from: device.profile,
      text,
      html: null,
      status: "received",
      replacedBy: null,
      note: text === null && body.length > 0 ? "The device could not decrypt this message." : null,
      ...readNotification(text),
    });
  }

  #wordThrottle(profile: PushProfile, refusal: "throttled" | "unavailable", waitSeconds: number): Answer {
    const retryAfter = retryAfterHeader(this.#line.settings, this.#world.clock.nowMs(), waitSeconds);
    return wordPushRefusal(profile, refusal, retryAfter);
  }

  #word(profile: PushProfile, refusal: Refusal): Answer {
    const { retryAfterSeconds } = this.#line.settings;
    switch (refusal.kind) {
      case "throttle":
      case "quota":
        return this.#wordThrottle(profile, "throttled", retryAfterSeconds);
      case "unauthorized":
        return wordPushRefusal(profile, "vapid_invalid");
      case "forbidden":
        return wordPushRefusal(profile, "vapid_mismatch");
      case "gone":
        return wordPushRefusal(profile, "gone");
      case "error": {
        const status = Number(refusal.code);
        const name = refusalOfStatus(status);
        if (name === "throttled" || name === "unavailable")
          return this.#wordThrottle(profile, name, retryAfterSeconds);
        return wordPushRefusal(profile, name, {}, status);
      }
    }
  }
}

/** Apple takes `mailto:a@b` and https URLs, nothing decorated and nothing local. */
function isPlainSubject(subject: string): boolean {
  if (/[\s<>]/.test(subject) || /localhost/i.test(subject)) return false;
  return /^mailto:[^@]+@[^@]+$/.test(subject) || subject.startsWith("https://");
}

/** The notification a service worker would show for a payload: ours or a declarative one (`{"notification": …}`). */
function readNotification(text: string | null): Pick<Message, "subject" | "url"> {
  let parsed: unknown = null;
  try {
    parsed = JSON.parse(text ?? "null");
  } catch {
    return { subject: null };
  }
  const outer = asRecord(parsed);
  const notification = outer.notification ? asRecord(outer.notification) : outer;
  const url = [notification.url, notification.navigate, asRecord(notification.data).url].find(
    (candidate) => typeof candidate === "string",
  );
  const subject = typeof notification.title === "string" ? notification.title : null;
  return { subject, ...(url === undefined ? {} : { url: url as string }) };
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
