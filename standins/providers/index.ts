import { randomUUID } from "node:crypto";
import { type Clock, realClock } from "../clock";
import { type Break, isProvider, type ProviderName, toResponse } from "./answer";
import { answerControl } from "./control";
import { Ledger } from "./ledger";
import { Line } from "./line";
import { type Message, type MessageFilter, MessageStore } from "./message-store";
import { type PushDevice, type PushDeviceOptions, PushStandIn } from "./push";
import { Receipts, type ReceiptTry } from "./receipts";
import { ResendStandIn } from "./resend";
import type { Settings } from "./settings";
import { TwilioStandIn } from "./twilio";
import type { World } from "./world";

export { type Break, PROVIDERS, type ProviderName } from "./answer";
export { inProcessFetch } from "./in-process-fetch";
export type { LedgerCall, LedgerSummary, WholeSummary } from "./ledger";
export { Ledger } from "./ledger";
export type { Message } from "./message-store";
export type { PushDevice, PushDeviceOptions } from "./push";
export type { PushProfile } from "./push-profiles";
export type { ReceiptTry } from "./receipts";
export { signSvix } from "./resend-webhooks";
export type { Settings } from "./settings";
export { signTwilio } from "./twilio-callbacks";

/** Signs webhooks when nobody named a secret. Not a secret: it exists in this file only. */
export const DEFAULT_WEBHOOK_SECRET = "whsec_c3RhbmQtaW4gc2lnbmluZyBrZXk=";

export type ProvidersOptions = {
  clock?: Clock;
  /** Where this server is reached, such as `http://localhost:4010`; push endpoints begin with it. */
  baseUrl: string;
  /** Where receipts of Resend and inbound texts go; without it there are none. Status callbacks name their own address. */
  appUrl?: string;
  /** Carries receipts to the app. */
  fetch?: typeof fetch;
  webhookSecret?: string;
  /** Without it any token logs in, and callbacks are signed with the token that the request presented. */
  twilioAuthToken?: string;
  newId?: () => string;
  /** The clock that VAPID tokens are judged by, for a sender that stamps them with another clock than `clock`. */
  vapidNowMs?: () => number;
};

/** Resend, Twilio and a Web Push service in one process, without a socket. */
export type Providers = {
  /** Answers any request, whatever its host; the path says whom it is for. */
  fetch(request: Request): Promise<Response | Break>;
  ledger: Ledger;
  /** Changes settings in part. Throws a TypeError naming the field and what it accepts. */
  control(provider: ProviderName, change: Partial<Settings>): Settings;
  settings(provider: ProviderName): Settings;
  restoreDefaults(provider: ProviderName): Settings;
  /** Accepted messages, newest first. */
  messages(filter?: MessageFilter): Message[];
  /** Every receipt that was tried, oldest first. */
  receipts(): ReceiptTry[];
  addPushDevice(options?: PushDeviceOptions): PushDevice;
  removePushDevice(deviceId: string): boolean;
  /** A reader answers a text, to our latest sender unless `to` names one. */
  replyToSms(reply: { from: string; to?: string; body: string }): { optedOut: boolean };
  /** As new: no calls, messages, devices, opt-outs, keys or quota used, default settings, nothing planned. */
  reset(): void;
};

/** What the control addresses work on. */
export type Desk = {
  world: World;
  resend: ResendStandIn;
  twilio: TwilioStandIn;
  push: PushStandIn;
  reset: () => void;
};

/** Builds the stand-ins around a clock. */
export function createProviders(options: ProvidersOptions): Providers {
  const world = createWorld(options);
  const { clock, ledger, messages, receipts, lines } = world;
  const [resend, twilio, push] = [new ResendStandIn(world), new TwilioStandIn(world), new PushStandIn(world)];

  const reset = () => {
    ledger.clear();
    messages.clear();
    receipts.clear();
    for (const standIn of [resend, twilio, push]) standIn.clear();
    for (const line of Object.values(lines)) line.reset(clock.nowMs());
  };
  const desk: Desk = { world, resend, twilio, push, reset };

  return {
    fetch: (request) => answer(desk, request),
    ledger,
    control(provider, change) {
      const [problem] = lines[provider].change(clock.nowMs(), change);
      if (problem) throw new TypeError(`${provider}.${problem.field} must be ${problem.accepted}.`);
      return lines[provider].settings;
    },
    settings: (provider) => lines[provider].settings,
    restoreDefaults(provider) {
      lines[provider].restoreDefaults(clock.nowMs());
      return lines[provider].settings;
    },
    messages: (filter) => messages.list(filter),
    receipts: () => [...receipts.tries],
    addPushDevice: (device) => push.addDevice(device),
    removePushDevice: (deviceId) => push.removeDevice(deviceId),
    replyToSms: ({ from, to, body }) => twilio.receive(from, to ?? null, body),
    reset,
  };
}

function createWorld(options: ProvidersOptions): World {
  const clock = options.clock ?? realClock();
  const send = options.fetch ?? ((input, init) => fetch(input, init));
  return {
    clock,
    ledger: new Ledger(),
    messages: new MessageStore(),
    receipts: new Receipts(clock, send),
    lines: { resend: new Line("resend"), twilio: new Line("twilio"), push: new Line("push") },
    newId: options.newId ?? randomUUID,
    baseUrl: options.baseUrl.replace(/\/+$/, ""),
    appUrl: options.appUrl?.replace(/\/+$/, "") ?? null,
    webhookSecret: options.webhookSecret ?? DEFAULT_WEBHOOK_SECRET,
    twilioAuthToken: options.twilioAuthToken ?? null,
    vapidNowMs: options.vapidNowMs ?? (() => clock.nowMs()),
  };
}

async function answer(desk: Desk, request: Request): Promise<Response | Break> {
  const { pathname } = new URL(request.url);
  const [, first] = pathname.split("/");
  const { clock } = desk.world;
  if (!isProvider(first)) return toResponse(await answerControl(desk, request, pathname), clock.nowMs());
  const outcome = await desk[first].answer(request, pathname.slice(first.length + 1));
  if (!("how" in outcome)) return toResponse(outcome, clock.nowMs());
  const response = outcome.answer ? toResponse(outcome.answer, clock.nowMs()) : undefined;
  return { break: outcome.how, response };
}
