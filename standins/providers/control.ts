import {
  type Answer,
  html,
  isProvider,
  json,
  PROVIDERS,
  type ProviderName,
  problem,
  seeOther,
} from "./answer";
import { breakButtons } from "./inbox-breaks";
import { inboxPage } from "./inbox-page";
import type { Desk } from "./index";
import type { LedgerCall } from "./ledger";
import type { Message, MessageFilter } from "./message-store";
import { SETTING_NAMES, type Settings, type SettingsProblem } from "./settings";

/** The addresses that belong to no provider, for the problem that a wrong one gets. */
const ADDRESSES =
  "/, /inbox.json, /control/:provider, /ledger, /ledger/summary, /push-devices, /sms-replies, /receipts, /reset, /health";

/** Answers the stand-in's own addresses: page, controls, ledger, devices, replies. */
export async function answerControl(desk: Desk, request: Request, path: string): Promise<Answer> {
  const query = new URL(request.url).searchParams;
  const [, area = "", name] = path.split("/");
  switch (`${request.method} /${area}`) {
    case "GET /":
      return page(desk, query);
    case "GET /inbox.json":
      return json(200, desk.world.messages.list(readFilter(query)).map(describeMessage));
    case "GET /control":
    case "PUT /control":
    case "DELETE /control":
      return controlSettings(desk, request, name);
    case "POST /control-form":
      return controlForm(desk, request, name);
    case "GET /ledger":
      return showLedger(desk, query, name);
    case "DELETE /ledger":
      desk.world.ledger.clear();
      return json(200, { cleared: true });
    case "GET /push-devices":
      return json(200, desk.push.listDevices());
    case "POST /push-devices":
      return desk.push.addDeviceFrom(await readJson(request));
    case "DELETE /push-devices":
      return desk.push.removeDevice(name ?? "")
        ? json(200, { removed: true })
        : problem(404, "No such device.");
    case "POST /sms-replies":
      return replyToSms(desk, request);
    case "GET /receipts":
      return json(200, desk.world.receipts.tries);
    case "POST /reset":
      desk.reset();
      return json(200, { reset: true });
    case "GET /health":
      return json(200, { ok: true });
    default:
      return problem(404, `No such address. There are ${ADDRESSES}.`);
  }
}

function page(
  desk: Desk,
  query: URLSearchParams,
  problems?: { provider: ProviderName; list: SettingsProblem[] },
): Answer {
  const nonce = desk.world.newId();
  const paused = query.get("live") === "off";
  const body = inboxPage(desk.world, { filter: readFilter(query), paused, nonce, problems });
  // The page shows what others wrote: nothing of it may run, load or send.
  const policy = [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    `script-src 'nonce-${nonce}'`,
    "img-src data:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  const headers = { "content-security-policy": policy.join("; "), "referrer-policy": "no-referrer" };
  return html(problems ? 422 : 200, body, headers);
}

function readFilter(query: URLSearchParams): MessageFilter {
  // A plus sign typed into an address bar arrives as a space; no address has one.
  const to = (query.get("to") ?? "").trimEnd().replaceAll(" ", "+");
  return { channel: query.get("channel") || null, to: to || null };
}

function describeMessage(message: Message): Record<string, unknown> {
  const {
    channel,
    to,
    subject,
    text,
    html: markup,
    url,
    at,
    key,
    providerMessageId,
    status,
    replacedBy,
  } = message;
  return { channel, to, subject, text, html: markup, url, at, key, providerMessageId, status, replacedBy };
}

async function controlSettings(desk: Desk, request: Request, name: string | undefined): Promise<Answer> {
  if (!isProvider(name)) return wrongProvider(404);
  const line = desk.world.lines[name];
  const nowMs = desk.world.clock.nowMs();
  if (request.method === "DELETE") line.restoreDefaults(nowMs);
  if (request.method === "PUT") {
    const problems = line.change(nowMs, await readJson(request));
    const [first] = problems;
    if (first)
      return problem(422, `${first.field} must be ${first.accepted}.`, { ...first, errors: problems });
  }
  return json(200, line.settings);
}

async function controlForm(desk: Desk, request: Request, name: string | undefined): Promise<Answer> {
  if (!isProvider(name)) return wrongProvider(404);
  const form = new URLSearchParams(await request.text());
  const line = desk.world.lines[name];
  const nowMs = desk.world.clock.nowMs();
  const pressed = form.get("break");
  const button = breakButtons(name).find((each) => each.name === pressed);
  if (pressed !== null && button === undefined) return problem(422, "No such button.");
  if (form.get("restore")) line.restoreDefaults(nowMs);
  else {
    const problems = line.change(nowMs, button === undefined ? readForm(form) : button.change);
    if (problems.length > 0) return page(desk, new URLSearchParams(), { provider: name, list: problems });
  }
  return seeOther(`/#${name}`);
}

const TEXT_FIELDS: (keyof Settings)[] = ["retryAfter", "fault", "faultWhen", "faultTo", "receipts"];

/** A form's texts as the settings want them: numbers as numbers, an empty field as null. */
function readForm(form: URLSearchParams): Record<string, unknown> {
  const change: Record<string, unknown> = {};
  for (const field of SETTING_NAMES) {
    const value = form.get(field)?.trim();
    if (value === undefined) continue;
    if (value === "") change[field] = null;
    else change[field] = TEXT_FIELDS.includes(field) ? value : Number(value);
  }
  return change;
}

function showLedger(desk: Desk, query: URLSearchParams, view: string | undefined): Answer {
  const { ledger } = desk.world;
  const provider = query.get("provider") ?? undefined;
  if (provider !== undefined && !isProvider(provider)) return wrongProvider(422);
  if (view === "summary") return json(200, provider ? ledger.summary(provider) : ledger.summary());
  if (view !== undefined) return problem(404, `No such address. There are ${ADDRESSES}.`);
  const kind: LedgerCall["call"] = query.get("call") === "look-up" ? "look-up" : "send";
  return json(200, ledger.calls(provider, kind));
}

async function replyToSms(desk: Desk, request: Request): Promise<Answer> {
  const isForm =
    request.headers.get("content-type")?.startsWith("application/x-www-form-urlencoded") ?? false;
  const body = isForm
    ? Object.fromEntries(new URLSearchParams(await request.text()))
    : await readJson(request);
  const { from, to, body: words } = (body ?? {}) as Record<string, unknown>;
  if (typeof from !== "string" || from === "") {
    return problem(422, "from must be the reader's number.", { field: "from", accepted: "a number" });
  }
  if (typeof words !== "string" || words === "") {
    return problem(422, "body must be the reader's words.", { field: "body", accepted: "text" });
  }
  const reply = desk.twilio.receive(from, typeof to === "string" && to !== "" ? to : null, words);
  return isForm ? seeOther("/?channel=sms") : json(202, reply);
}

function wrongProvider(status: number): Answer {
  const accepted = PROVIDERS.join(", ");
  return problem(status, `provider must be one of ${accepted}.`, { field: "provider", accepted });
}

/** The body as JSON; undefined when it is none. */
async function readJson(request: Request): Promise<unknown> {
  try {
    return JSON.parse(await request.text());
  } catch {
    return undefined;
  }
}
