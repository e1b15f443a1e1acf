import { type Answer, json } from "./answer";
import { exchange, type Outcome, type Processed } from "./exchange";
import type { Refusal } from "./faults";
import type { Line } from "./line";
import { remember } from "./message-store";
import { bareAddress, type ResendEmail, readEmail, textOfHtml } from "./resend-email";
import { RESEND_ERRORS, resendError } from "./resend-errors";
import { IdempotencyKeys } from "./resend-keys";
import { emailReceipts } from "./resend-webhooks";
import { quotaRetryAfterHeader, retryAfterHeader } from "./settings";
import type { World } from "./world";

/** Emails in one batch request. */
const MOST_IN_BATCH = 100;

type StoredEmail = ResendEmail & { id: string; createdAtMs: number; lastEvent: string };
/** Where a request's idempotency key is remembered; null without a key. */
type KeyPlace = { scope: string; key: string } | null;

/** Stands in for https://api.resend.com below `/resend`. */
export class ResendStandIn {
  readonly #world: World;
  readonly #line: Line;
  readonly #emails = new Map<string, StoredEmail>();
  readonly #keys = new IdempotencyKeys();

  constructor(world: World) {
    this.#world = world;
    this.#line = world.lines.resend;
  }

  /** Answers one request; `path` is what follows `/resend`. */
  async answer(request: Request, path: string): Promise<Outcome> {
    const at = this.#world.clock.nowMs();
    const apiKey = /^Bearer (.+)$/i.exec(request.headers.get("authorization") ?? "")?.[1]?.trim() ?? null;
    const lookUp = /^\/emails\/([^/]+)$/.exec(path);
    if (request.method === "POST" && (path === "/emails" || path === "/emails/batch")) {
      return this.#send(request, path, apiKey, at, await request.text());
    }
    if (request.method === "GET" && lookUp) return this.#lookUp(lookUp[1] as string, apiKey, at);
    const name = path === "/emails" || path === "/emails/batch" ? "method_not_allowed" : "not_found";
    return this.#dress(resendError(name));
  }

  clear(): void {
    this.#emails.clear();
    this.#keys.clear();
  }

  #send(
    request: Request,
    path: string,
    apiKey: string | null,
    at: number,
    payload: string,
  ): Promise<Outcome> {
    const { ledger, clock } = this.#world;
    const key = request.headers.get("idempotency-key");
    const body = parseJson(payload);
    const batch = path === "/emails/batch";
    const items = batch && Array.isArray(body) ? body : [body];
    const destinations = items.flatMap(recipientsOf);
    const call = ledger.arrive({
      provider: "resend",
      call: "send",
      at,
      key,
      destination: destinations.join(", "),
    });
    let emails: ResendEmail[] = [];
    const place: KeyPlace = key === null ? null : { scope: `${apiKey} ${path}`, key };
    return exchange(clock, this.#line, {
      call,
      destinations,
      refuse: () => {
        const gate = this.#refuseKeyAndRate(apiKey);
        if (gate) return gate;
        const read = batch ? readBatch(body) : readOne(body);
        if ("refusal" in read) return this.#dress(read.refusal);
        emails = read.emails;
        const conflict = place && this.#keys.claim(place.scope, place.key, payload, clock.nowMs());
        return conflict ? this.#dress(conflict) : null;
      },
      process: () => this.#process(emails, batch, place),
      word: (refusal) => this.#word(refusal),
    });
  }

  #process(emails: ResendEmail[], batch: boolean, place: KeyPlace): Processed {
    const nowMs = this.#world.clock.nowMs();
    const former = place && this.#keys.former(place.scope, place.key);
    if (former) {
      const { answer, providerMessageId } = former;
      return { answer: this.#dress(answer), accepted: false, repeat: true, providerMessageId, fault: null };
    }
    const recipients = emails.reduce((sum, { to, cc, bcc }) => sum + to.length + cc.length + bcc.length, 0);
    const quota = this.#line.brokenQuota(nowMs, recipients);
    if (quota) {
      // Only what was accepted is remembered under a key: the same key may be tried again when there is room.
      if (place) this.#keys.release(place.scope, place.key);
      const answer = this.#wordQuota(quota);
      return { answer, accepted: false, repeat: false, providerMessageId: null, fault: null };
    }
    this.#line.spend(nowMs, recipients);
    const ids = emails.map((email) => this.#accept(email, place?.key ?? null));
    const providerMessageId = ids[0] ?? null;
    const answer = json(200, batch ? { data: ids.map((id) => ({ id })) } : { id: ids[0] });
    if (place) this.#keys.settle(place.scope, place.key, { answer, providerMessageId }, nowMs);
    return { answer: this.#dress(answer), accepted: true, repeat: false, providerMessageId, fault: null };
  }

  #accept(email: ResendEmail, key: string | null): string {
    const { messages, newId, clock, receipts } = this.#world;
    const id = newId();
    const stored: StoredEmail = { ...email, id, createdAtMs: clock.nowMs(), lastEvent: "queued" };
    remember(this.#emails, id, stored);
    messages.add({
      provider: "resend",
      channel: "email",
      providerMessageId: id,
      at: stored.createdAtMs,
      key,
      recipients: [...email.to, ...email.cc, ...email.bcc].map((address) => bareAddress(address) ?? address),
      aliases: [],
      to: [...email.to, ...email.cc].join(", "),
      from: email.from,
      subject: email.subject,
      text: email.text ?? (email.html === null ? null : textOfHtml(email.html)),
      html: email.html,
      status: "queued",
      replacedBy: null,
      note: null,
    });
    const report = (event: string) => {
      stored.lastEvent = event;
      messages.report(id, event);
    };
    receipts.plan(this.#line.settings, emailReceipts(this.#world, id, email, report));
    return id;
  }

  #lookUp(id: string, apiKey: string | null, at: number): Promise<Outcome> {
    const { ledger, clock } = this.#world;
    const call = ledger.arrive({ provider: "resend", call: "look-up", at, key: null, destination: id });
    return exchange(clock, this.#line, {
      call,
      destinations: [],
      refuse: () => this.#refuseKeyAndRate(apiKey),
      process: () => {
        const email = this.#emails.get(id);
        const answer = email
          ? json(200, describeEmail(email))
          : resendError("not_found", { message: "Email not found" });
        return {
          answer: this.#dress(answer),
          accepted: false,
          repeat: false,
          providerMessageId: id,
          fault: null,
        };
      },
      word: (refusal) => this.#word(refusal),
    });
  }

  #refuseKeyAndRate(apiKey: string | null): Answer | null {
    const nowMs = this.#world.clock.nowMs();
    if (apiKey === null) return this.#dress(resendError("missing_api_key"));
    if (!apiKey.startsWith("re_")) {
      return this.#dress(resendError("validation_error", { status: 401, message: "API key is invalid" }));
    }
    if (apiKey.startsWith("re_invalid")) return this.#dress(resendError("invalid_api_key"));
    const waitSeconds = this.#line.throttle(nowMs);
    return waitSeconds === null ? null : this.#wordThrottle(waitSeconds);
  }

  /** Adds what every answer of Resend carries: the rate of the team, and the quota used so far. */
  #dress(answer: Answer, resetSeconds?: number): Answer {
    const nowMs = this.#world.clock.nowMs();
    const { settings, limit, daily, monthly } = this.#line;
    // A rate below one per second is told as one per several seconds: the header knows whole numbers only.
    const windowSeconds = Math.max(1, Math.round(1 / settings.ratePerSecond));
    const perWindow = Math.max(1, Math.round(settings.ratePerSecond * windowSeconds));
    const remaining = resetSeconds === undefined ? limit.view(nowMs).remaining : 0;
    const headers: Record<string, string> = {
      "ratelimit-limit": String(perWindow),
      "ratelimit-policy": `${perWindow};w=${windowSeconds}`,
      "ratelimit-remaining": String(remaining),
      "ratelimit-reset": String(resetSeconds ?? this.#line.secondsUntilRoom(nowMs)),
      "x-resend-monthly-quota": String(monthly.used(nowMs)),
    };
    if (settings.dailyQuota !== null) headers["x-resend-daily-quota"] = String(daily.used(nowMs));
    return { ...answer, headers: { ...headers, ...answer.headers } };
  }

  #wordThrottle(waitSeconds: number): Answer {
    const { settings } = this.#line;
    const headers = retryAfterHeader(settings, this.#world.clock.nowMs(), waitSeconds);
    const message = `Too many requests. You can only make ${settings.ratePerSecond} requests per second. See rate limit response headers for more information. Or contact support to increase rate limit.`;
    return this.#dress(resendError("rate_limit_exceeded", { message, headers }), waitSeconds);
  }

  #wordQuota(quota: "daily" | "monthly"): Answer {
    const { settings } = this.#line;
    const headers = quotaRetryAfterHeader(settings);
    return this.#dress(resendError(`${quota}_quota_exceeded`, { headers }));
  }

  #word(refusal: Refusal): Answer {
    switch (refusal.kind) {
      case "throttle":
        return this.#wordThrottle(this.#line.settings.retryAfterSeconds);
      case "quota":
        return this.#wordQuota("daily");
      case "unauthorized":
        return this.#dress(resendError("validation_error", { status: 401, message: "API key is invalid" }));
      case "forbidden": {
        const message =
          "The domain is not verified. Please, add and verify your domain on https://resend.com/domains";
        return this.#dress(resendError("validation_error", { status: 403, message }));
      }
      case "gone":
        return this.#dress(resendError("not_found"));
      case "error":
        if (refusal.code === "rate_limit_exceeded") return this.#word({ kind: "throttle" });
        if (refusal.code === "daily_quota_exceeded") return this.#wordQuota("daily");
        if (refusal.code === "monthly_quota_exceeded") return this.#wordQuota("monthly");
        return this.#dress(resendError(RESEND_ERRORS.has(refusal.code) ? refusal.code : "application_error"));
    }
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Every address a request names, right or wrong, for the ledger and for faults. */
function recipientsOf(item: unknown): string[] {
  if (typeof item !== "object" || item === null) return [];
  const { to } = item as { to?: unknown };
  const addresses = Array.isArray(to) ? to : [to];
  return addresses.filter((entry) => typeof entry === "string").map((entry) => bareAddress(entry) ?? entry);
}

function readOne(body: unknown): { emails: ResendEmail[] } | { refusal: Answer } {
  if (body === undefined) {
    return { refusal: resendError("validation_error", { message: "The request body is not valid JSON." }) };
  }
  const read = readEmail(body);
  return "refusal" in read ? read : { emails: [read.email] };
}

/** Reads a batch strictly: one bad email refuses all of it, which is Resend's default. */
function readBatch(body: unknown): { emails: ResendEmail[] } | { refusal: Answer } {
  if (!Array.isArray(body) || body.length < 1 || body.length > MOST_IN_BATCH) {
    const message = `The request body must be an array of 1 to ${MOST_IN_BATCH} emails.`;
    return { refusal: resendError("validation_error", { status: 422, message }) };
  }
  const emails: ResendEmail[] = [];
  for (const item of body) {
    const read = readEmail(item);
    if ("refusal" in read) return read;
    emails.push(read.email);
  }
  return { emails };
}

function describeEmail(email: StoredEmail): Record<string, unknown> {
  return {
    object: "email",
    id: email.id,
    to: email.to,
    from: email.from,
    created_at: new Date(email.createdAtMs).toISOString().replace("T", " ").replace("Z", "+00"),
    subject: email.subject,
    html: email.html,
    text: email.text,
    bcc: email.bcc,
    cc: email.cc,
    reply_to: email.replyTo,
    last_event: email.lastEvent,
    scheduled_at: null,
    tags: email.tags,
  };
}
