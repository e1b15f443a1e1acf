import { createHmac } from "node:crypto";
import { SIGNATURE_HEADER } from "../../../app/api/v1/shipments/signature";
import { config } from "../../../db/config";
import { signSvix, signTwilio } from "../../../standins/providers";
import type { Dice } from "../../simulation/dice";
import { EXPECTED } from "../access/expected";
import type { People, Visitor } from "../access/people";
import type { Place } from "../access/places";
import { FIELD_NAMES } from "./fields";
import { anything, bytesOf, headerValue, mutated, spliced, text } from "./inputs";
import { goodBodies, parametersOf, type Subjects } from "./subjects";

const ORIGIN = "http://127.0.0.1:3000";

/** What the library that signs people in answers, and some that it must not. */
const AUTH_PATHS = [
  ...["get-session", "sign-out", "list-sessions", "revoke-session", "revoke-other-sessions", "ok", "error"],
  ...["sign-in/email-otp", "magic-link/verify", "update-user", "delete-user", "callback/x", "session", ""],
];

/** Who may come in here: mostly they do, and sometimes somebody else. */
export function visitorFor(dice: Dice, { name }: Place, people: People): Visitor {
  // What ends a session, or somebody, is not to end those whom the others need.
  if (/auth\/|signOut|deleteAccount/.test(name)) return dice.chance(0.5) ? people.anonymous : people.other;
  if (dice.chance(0.08)) return people[dice.pick(Object.keys(people) as (keyof People)[])];
  const access = EXPECTED[name] ?? "public";
  if (access.startsWith("key:")) return people[access as "key:reminders"];
  if (access === "console" || access === "lever") return people.operator;
  if (access === "own" || access === "signed in" || access === "session") return people.owner;
  return people.anonymous;
}

/** The headers of a request, with some that nobody should send. */
export function headersFor(dice: Dice, visitor: Visitor): Headers {
  const headers = new Headers({ ...visitor.headers, host: "127.0.0.1:3000", origin: ORIGIN });
  const odd = [
    ...["idempotency-key", "accept-language", "user-agent", "x-forwarded-for", "x-forwarded-host", "cookie"],
    ...["authorization", "content-type", "content-length", "origin", "aftership-hmac-sha256", "svix-id"],
    ...["svix-timestamp", "svix-signature", "x-twilio-signature", "referer", "x-middleware-subrequest"],
  ];
  while (dice.chance(0.25)) {
    const [name, value] = [dice.pick(odd), headerValue(dice)];
    // A cookie is changed more usefully than replaced.
    const old = headers.get(name);
    headers.set(name, old !== null && dice.chance(0.5) ? headerSafe(spliced(dice, old)) : value);
  }
  return headers;
}

const headerSafe = (value: string) => value.replace(/[^\t\x20-\x7e]/g, "?").trim();

/** A query: names that the app reads, and others. */
export function queryFor(dice: Dice): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = {};
  while (dice.chance(0.7)) {
    const name = dice.chance(0.9) ? dice.pick(FIELD_NAMES) : text(dice);
    query[name] = dice.chance(0.15) ? [text(dice), text(dice)] : text(dice);
  }
  return query;
}

/** The parameters of a path as Next hands them over: decoded text of any kind, and mostly the right ones. */
export function paramsFor(dice: Dice, place: Place, subjects: Subjects): Record<string, string> {
  const params = parametersOf(place, subjects);
  for (const [name, value] of Object.entries(params)) {
    if (dice.chance(0.15)) params[name] = dice.chance(0.5) ? text(dice) : spliced(dice, value);
  }
  return params;
}

/** A form with any of the fields that the app reads. */
export function formFor(dice: Dice, subjects: Subjects): FormData {
  const form = new FormData();
  const known = [
    subjects.partition,
    subjects.reminder,
    "on",
    "yes",
    "email",
    "custom",
    "09:00",
    "2026-12-24",
  ];
  for (const name of FIELD_NAMES) {
    if (dice.chance(0.35)) continue;
    const value = dice.chance(0.5) ? dice.pick(known) : text(dice);
    if (dice.chance(0.02)) form.set(name, new File([value], "a.txt"));
    else form.append(name, value);
    if (dice.chance(0.05)) form.append(name, text(dice));
  }
  return form;
}

/** One argument of an action, as somebody sends it who does not use our form. */
export function forged(dice: Dice, value: unknown): unknown {
  if (!dice.chance(0.1)) return value;
  return dice.pick<() => unknown>([
    () => anything(dice),
    () => text(dice),
    () => undefined,
    () => new Date(Number.NaN),
  ])();
}

/** A request to a handler. A webhook is mostly signed: what is behind the signature is to be met too. */
export function requestFor(dice: Dice, place: Place, subjects: Subjects, headers: Headers): Request {
  const query = new URLSearchParams();
  for (const [name, values] of Object.entries(dice.chance(0.3) ? queryFor(dice) : {}))
    for (const value of [values].flat()) query.append(name, value);
  const path = place.name.includes("/auth/")
    ? `/api/auth/${dice.chance(0.8) ? dice.pick(AUTH_PATHS) : encodeURIComponent(text(dice).slice(0, 500).toWellFormed())}`
    : `/${place.file.replace(/^app\/|\/route\.ts$/g, "")}`;
  if (place.name.includes("twilio")) query.set("d", dice.chance(0.8) ? subjects.delivery : text(dice));
  const url = new URL(`${ORIGIN}${path}${query.size === 0 ? "" : `?${query}`}`);
  const { method } = place;
  if (method === "GET" || method === "HEAD") return new Request(url, { method, headers });
  const body = bodyFor(dice, place, subjects);
  if (dice.chance(0.85)) sign(place, url, headers, body);
  headers.delete("content-length");
  return new Request(url, { method, headers, body: body as BodyInit });
}

function bodyFor(dice: Dice, place: Place, subjects: Subjects): string | Uint8Array {
  const good = goodBodies(place.name, subjects);
  const value = good === undefined ? anything(dice) : dice.pick(good);
  const changed = dice.chance(0.15) ? value : mutated(dice, value);
  const isForm = place.name.includes("twilio") || typeof value === "string";
  return bytesOf(dice, isForm ? formText(changed) : (JSON.stringify(changed) ?? ""));
}

function formText(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  const entries = Object.entries(value).map(([name, one]) => [
    name,
    typeof one === "string" ? one : JSON.stringify(one),
  ]);
  return new URLSearchParams(entries).toString();
}

function sign(place: Place, url: URL, headers: Headers, body: string | Uint8Array): void {
  const written = Buffer.from(body as string).toString("utf8");
  const aftership = config().aftershipWebhookSecret;
  if (headers.has(SIGNATURE_HEADER) && aftership !== null) {
    headers.set(SIGNATURE_HEADER, createHmac("sha256", aftership).update(written).digest("base64"));
  }
  if (place.name.includes("webhooks/resend")) {
    const seconds = Math.floor(Date.now() / 1000);
    const id = headers.get("svix-id") ?? `msg_${seconds}_${written.length}`;
    const [secret = ""] = config().resend.webhookSecrets;
    headers.set("svix-id", id);
    headers.set("svix-timestamp", String(seconds));
    headers.set("svix-signature", signSvix(secret, id, seconds, written));
  }
  if (place.name.includes("webhooks/twilio")) {
    const fields = Object.fromEntries(new URLSearchParams(written));
    const address = `${config().appUrl}${url.pathname}${url.search}`;
    headers.set("x-twilio-signature", signTwilio(config().twilio.authToken, address, fields));
  }
}
