import webpush from "web-push";
import { type VirtualClock, virtualClock } from "../../../standins/clock";
import {
  createProviders,
  inProcessFetch,
  type Providers,
  type ProvidersOptions,
  type PushDevice,
} from "../../../standins/providers/index";

/** A Monday morning, for tests whose libraries do not look at the wall clock. */
export const START_MS = Date.UTC(2026, 10, 30, 9, 0, 0);

/** One request that reached the app. */
export type AppCall = { url: string; headers: Headers; body: string };

export type Stage = {
  clock: VirtualClock;
  providers: Providers;
  send: typeof fetch;
  /** What the app was told, in order. */
  told: AppCall[];
  /** Lets everything that is due happen, moving the clock as far as `work` needs, and no further. */
  finish<Result>(work: Promise<Result>): Promise<Result>;
  /** Moves the clock and lets the consequences settle. */
  pass(ms: number): Promise<void>;
};

/** Stand-ins on a clock of their own, with an app that takes note and answers 204. */
export function stage(options: Partial<ProvidersOptions> & { startMs?: number } = {}): Stage {
  const clock = virtualClock(options.startMs ?? START_MS);
  const told: AppCall[] = [];
  const app: typeof fetch = async (input, init) => {
    told.push({ url: String(input), headers: new Headers(init?.headers), body: String(init?.body) });
    return new Response(null, { status: 204 });
  };
  const providers = createProviders({
    clock,
    baseUrl: "http://standins.test",
    appUrl: "http://app.test",
    fetch: app,
    ...options,
  });
  return {
    clock,
    providers,
    send: inProcessFetch(providers),
    told,
    async finish(work) {
      let settled = false;
      const note = () => {
        settled = true;
      };
      work.then(note, note);
      for (;;) {
        await settle();
        if (settled) return work;
        const nextMs = clock.nextTimerAtMs();
        if (nextMs === null) throw new Error("Nothing is planned that could end this work.");
        clock.advanceTo(Math.max(nextMs, clock.nowMs()));
      }
    },
    async pass(ms) {
      const untilMs = clock.nowMs() + ms;
      for (;;) {
        await settle();
        const nextMs = clock.nextTimerAtMs();
        if (nextMs === null || nextMs > untilMs) break;
        clock.advanceTo(Math.max(nextMs, clock.nowMs()));
      }
      clock.advanceTo(untilMs);
      await settle();
    },
  };
}

/** Lets every pending promise run; the clock stands still. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

export const EMAIL = {
  from: "Punctual <hello@punctual.shop>",
  to: "ada@shopper.example",
  subject: "Your reminder",
  text: "Water the plants.",
};

/** A send request as Resend's SDK makes it. */
export function email(fields: Record<string, unknown> = {}, headers: Record<string, string> = {}): Request {
  return new Request("http://standins.test/resend/emails", {
    method: "POST",
    headers: { authorization: "Bearer re_test", "content-type": "application/json", ...headers },
    body: JSON.stringify({ ...EMAIL, ...fields }),
  });
}

export const ACCOUNT = "AC00000000000000000000000000000001";

/** A send request as Twilio's SDK makes it. */
export function sms(fields: Record<string, string> = {}, token = "token"): Request {
  return new Request(`http://standins.test/twilio/2010-04-01/Accounts/${ACCOUNT}/Messages.json`, {
    method: "POST",
    headers: basic(token),
    body: new URLSearchParams({
      To: "+15551234567",
      From: "+15005550006",
      Body: "Water the plants.",
      ...fields,
    }),
  });
}

export function basic(token = "token", user = ACCOUNT): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${user}:${token}`).toString("base64")}` };
}

export const VAPID = webpush.generateVAPIDKeys();
export const NOTIFICATION = JSON.stringify({
  title: "Water the plants",
  body: "It is nine.",
  url: "/reminders/1",
});

/** A send request as the web-push library makes it, with single headers put in or taken out. */
export function push(
  device: PushDevice,
  options: webpush.RequestOptions = {},
  payload: string | Buffer = NOTIFICATION,
  headers: Record<string, string | null> = {},
): Request {
  const vapidDetails = { subject: "mailto:ops@punctual.shop", ...VAPID };
  const details = webpush.generateRequestDetails(device, payload, { TTL: 3600, vapidDetails, ...options });
  const made = new Headers(Object.entries(details.headers).map(([name, value]) => [name, String(value)]));
  for (const [name, value] of Object.entries(headers)) {
    if (value === null) made.delete(name);
    else made.set(name, value);
  }
  return new Request(details.endpoint, { method: "POST", headers: made, body: details.body as BodyInit });
}
