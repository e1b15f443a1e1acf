import { type Answer, json } from "./answer";
import { exchange, type Outcome, type Processed } from "./exchange";
import type { Refusal } from "./faults";
import type { Line } from "./line";
import { remember } from "./message-store";
import { quotaRetryAfterHeader, retryAfterHeader } from "./settings";
import { countSegments, optOutType } from "./sms-text";
import { inboundReceipt, smsReceipts } from "./twilio-callbacks";
import { twilioError } from "./twilio-errors";
import { deliveryIdOf, listPage, readSms, type SmsRequest } from "./twilio-requests";
import { hexId, type World } from "./world";

/** One text as Twilio keeps it. */
export type StoredSms = SmsRequest & {
  sid: string;
  accountSid: string;
  /** The token its callbacks are signed with. */
  signingToken: string;
  status: string;
  errorCode: number | null;
  createdAtMs: number;
  sentAtMs: number | null;
  updatedAtMs: number;
};

type Login = { username: string; password: string };

/** Signs inbound texts that arrive before any request has shown a token. */
const TOKEN_BEFORE_ANY_REQUEST = "standin-auth-token";

/** Stands in for https://api.twilio.com below `/twilio`. */
export class TwilioStandIn {
  readonly #world: World;
  readonly #line: Line;
  readonly #texts = new Map<string, StoredSms>();
  /** `sender number` pairs that a reader closed by STOP. */
  readonly #optOuts = new Set<string>();

  constructor(world: World) {
    this.#world = world;
    this.#line = world.lines.twilio;
  }

  /** Answers one request; `path` is what follows `/twilio`. */
  async answer(request: Request, path: string): Promise<Outcome> {
    const at = this.#world.clock.nowMs();
    const login = readLogin(request);
    const route = /^\/2010-04-01\/Accounts\/([^/]+)\/Messages(?:\/([^/]+))?\.json$/.exec(path);
    const [, accountSid = "", sid] = route ?? [];
    if (route && request.method === "POST" && !sid) {
      const form = new URLSearchParams(await request.text());
      return this.#send(form, accountSid, login, at);
    }
    if (route && request.method === "GET") {
      const query = new URL(request.url).searchParams;
      return this.#lookUp(accountSid, login, at, sid ?? null, query);
    }
    return this.#dress(twilioError(20404));
  }

  /** A reader answers a text: STOP and START move the opt-out list, and the app is told. Says whether the pair is closed. */
  receive(from: string, to: string | null, body: string): { optedOut: boolean } {
    const last = [...this.#texts.values()].reverse().find((text) => text.to === from);
    const sender = to ?? last?.messagingServiceSid ?? last?.from ?? "";
    const pair = `${sender} ${from}`;
    const optOut = optOutType(body);
    if (optOut === "STOP") this.#optOuts.add(pair);
    if (optOut === "START") this.#optOuts.delete(pair);
    const account = {
      accountSid: last?.accountSid ?? `AC${hexId("account")}`,
      signingToken: this.#world.twilioAuthToken ?? last?.signingToken ?? TOKEN_BEFORE_ANY_REQUEST,
    };
    const inbound = inboundReceipt(this.#world, { from, to: sender, body, optOut }, account);
    this.#world.receipts.sendNow(inbound);
    return { optedOut: this.#optOuts.has(pair) };
  }

  clear(): void {
    this.#texts.clear();
    this.#optOuts.clear();
  }

  #send(form: URLSearchParams, accountSid: string, login: Login | null, at: number): Promise<Outcome> {
    const { ledger, clock } = this.#world;
    const destination = form.get("To") ?? "";
    const key = deliveryIdOf(form.get("StatusCallback"));
    const call = ledger.arrive({ provider: "twilio", call: "send", at, key, destination });
    let sms: SmsRequest | null = null;
    return exchange(clock, this.#line, {
      call,
      destinations: [destination],
      refuse: () => {
        const gate = this.#refuseLoginAndRate(accountSid, login);
        if (gate) return gate;
        const read = readSms(form);
        if ("refusal" in read) return this.#dress(read.refusal);
        sms = read.sms;
        return null;
      },
      process: () => this.#process(sms as SmsRequest, accountSid, login as Login, key),
      word: (refusal) => this.#word(refusal, accountSid),
    });
  }

  #process(sms: SmsRequest, accountSid: string, login: Login, key: string | null): Processed {
    const nowMs = this.#world.clock.nowMs();
    const refused = { accepted: false, repeat: false, providerMessageId: null, fault: null };
    if (this.#optOuts.has(`${sms.messagingServiceSid ?? sms.from} ${sms.to}`)) {
      return { ...refused, answer: this.#dress(twilioError(21610)) };
    }
    if (this.#line.brokenQuota(nowMs, 1)) return { ...refused, answer: this.#wordQuota(accountSid) };
    this.#line.spend(nowMs, 1);
    const during = this.#line.takeFault("during", [sms.to]);
    const stored: StoredSms = {
      ...sms,
      sid: `SM${hexId(this.#world.newId())}`,
      accountSid,
      signingToken: this.#world.twilioAuthToken ?? login.password,
      status: "queued",
      errorCode: null,
      createdAtMs: nowMs,
      sentAtMs: null,
      updatedAtMs: nowMs,
    };
    this.#keep(stored, key, during?.fault.kind === "late" ? during.fault.code : null);
    const answer = this.#dress(json(201, describeSms(stored)));
    const fault = during?.name ?? null;
    return { answer, accepted: true, repeat: false, providerMessageId: stored.sid, fault };
  }

  #keep(sms: StoredSms, key: string | null, lateCode: number | null): void {
    const { messages, receipts, clock } = this.#world;
    remember(this.#texts, sms.sid, sms);
    const segments = countSegments(sms.body);
    messages.add({
      provider: "twilio",
      channel: "sms",
      providerMessageId: sms.sid,
      at: sms.createdAtMs,
      key,
      recipients: [sms.to],
      aliases: [],
      to: sms.to,
      from: sms.messagingServiceSid ?? sms.from ?? "",
      subject: null,
      text: sms.body,
      html: null,
      status: sms.status,
      replacedBy: null,
      note: segments > 1 ? `${segments} segments` : null,
    });
    const report = (status: string, errorCode: number | null) => {
      const nowMs = clock.nowMs();
      Object.assign(sms, { status, errorCode, updatedAtMs: nowMs });
      if (status === "sent") sms.sentAtMs = nowMs;
      messages.report(sms.sid, errorCode === null ? status : `${status} (${errorCode})`);
    };
    receipts.plan(this.#line.settings, smsReceipts(this.#world, sms, lateCode, report));
  }

  #lookUp(
    accountSid: string,
    login: Login | null,
    at: number,
    sid: string | null,
    query: URLSearchParams,
  ): Promise<Outcome> {
    const { ledger, clock } = this.#world;
    const destination = sid ?? query.get("To") ?? "";
    const call = ledger.arrive({ provider: "twilio", call: "look-up", at, key: null, destination });
    return exchange(clock, this.#line, {
      call,
      destinations: [],
      refuse: () => this.#refuseLoginAndRate(accountSid, login),
      process: () => {
        const texts = [...this.#texts.values()].filter((text) => text.accountSid === accountSid).reverse();
        const found = sid === null ? null : texts.find((text) => text.sid === sid);
        const list = () => listPage(texts, query, accountSid, describeSms);
        const answer = sid === null ? list() : found ? json(200, describeSms(found)) : twilioError(20404);
        const providerMessageId = found?.sid ?? null;
        return {
          answer: this.#dress(answer),
          accepted: false,
          repeat: false,
          providerMessageId,
          fault: null,
        };
      },
      word: (refusal) => this.#word(refusal, accountSid),
    });
  }

  #refuseLoginAndRate(accountSid: string, login: Login | null): Answer | null {
    const { twilioAuthToken } = this.#world;
    const userFits = login !== null && (login.username === accountSid || login.username.startsWith("SK"));
    // An API key has a secret of its own, which only its holder and Twilio know.
    const tokenFits =
      login?.password !== "" &&
      (twilioAuthToken === null || login?.username.startsWith("SK") || login?.password === twilioAuthToken);
    if (!userFits || !tokenFits || !accountSid.startsWith("AC")) return this.#dress(twilioError(20003));
    const waitSeconds = this.#line.throttle(this.#world.clock.nowMs());
    return waitSeconds === null ? null : this.#wordThrottle(waitSeconds);
  }

  #dress(answer: Answer): Answer {
    const concurrent = { "twilio-concurrent-requests": String(this.#line.inFlight) };
    return { ...answer, headers: { ...concurrent, ...answer.headers } };
  }

  #wordThrottle(waitSeconds: number): Answer {
    const retryAfter = retryAfterHeader(this.#line.settings, this.#world.clock.nowMs(), waitSeconds);
    return this.#dress(twilioError(20429, retryAfter));
  }

  /** The account's cap of messages in 24 hours. */
  #wordQuota(accountSid: string): Answer {
    const { settings } = this.#line;
    const headers = quotaRetryAfterHeader(settings);
    const cap = settings.dailyQuota ?? 0;
    const message = `Account ${accountSid} exceeded the ${cap} daily messages limit`;
    return this.#dress(twilioError(63038, headers, message));
  }

  #word(refusal: Refusal, accountSid: string): Answer {
    switch (refusal.kind) {
      case "throttle":
        return this.#wordThrottle(this.#line.settings.retryAfterSeconds);
      case "quota":
        return this.#wordQuota(accountSid);
      case "unauthorized":
        return this.#dress(twilioError(20003));
      case "forbidden":
        return this.#dress(twilioError(20005));
      case "gone":
        return this.#dress(twilioError(20404));
      case "error":
        if (refusal.code === "20429") return this.#word({ kind: "throttle" }, accountSid);
        if (refusal.code === "63038") return this.#word({ kind: "quota" }, accountSid);
        return this.#dress(twilioError(Number(refusal.code)));
    }
  }
}

function readLogin(request: Request): Login | null {
  const encoded = /^Basic (.+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
  if (!encoded) return null;
  const [username = "", ...password] = Buffer.from(encoded, "base64").toString("utf8").split(":");
  return { username, password: password.join(":") };
}

/** The body of a message as Twilio writes it: numbers are text, dates are RFC 2822. */
function describeSms(sms: StoredSms): Record<string, unknown> {
  const date = (atMs: number | null) =>
    atMs === null ? null : new Date(atMs).toUTCString().replace("GMT", "+0000");
  const uri = `/2010-04-01/Accounts/${sms.accountSid}/Messages/${sms.sid}`;
  return {
    account_sid: sms.accountSid,
    api_version: "2010-04-01",
    body: sms.body,
    date_created: date(sms.createdAtMs),
    date_sent: date(sms.sentAtMs),
    date_updated: date(sms.updatedAtMs),
    direction: "outbound-api",
    error_code: sms.errorCode,
    error_message: null,
    from: sms.from,
    messaging_service_sid: sms.messagingServiceSid,
    num_media: "0",
    num_segments: String(countSegments(sms.body)),
    price: null,
    price_unit: "USD",
    sid: sms.sid,
    status: sms.status,
    subresource_uris: { media: `${uri}/Media.json` },
    to: sms.to,
    uri: `${uri}.json`,
  };
}
