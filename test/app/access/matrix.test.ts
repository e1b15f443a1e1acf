import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import { resetConfig } from "../../../db/config";
import { database, rows } from "../../../db/connection";
import { API_SCOPES } from "../../../db/rules/api-scopes";
import { makeDestination, makePartition, makeReminder } from "../../support/factories";
import { makeDead, makeUnknown, started } from "../../support/redrives";
import { requestScope } from "../../support/request-scope";
import { record } from "../../support/shipments";
import { actionArguments } from "./arguments";
import { type Access, EXPECTED } from "./expected";
import { everybody, type People, type Role, type Visitor } from "./people";
import { hiddenActions, listPlaces, type Place } from "./places";

type Outcome = "in" | "sign in" | "absent" | "read-only" | "unauthorised" | "forbidden";

const MISSING = "00000000-0000-4000-8000-000000000000";
const METRICS_TOKEN = "metrics-token-of-this-test";

let people: People;
let places: Place[];
let subjects: Record<string, string>;

beforeAll(async () => {
  process.env.METRICS_TOKEN = METRICS_TOKEN;
  resetConfig();
  people = await everybody();
  places = await listPlaces();
  const owned = people.owner.subscriberId ?? "";
  const partition = await makePartition({ channel: "email" });
  const dead = await makeUnknown(partition);
  await makeDead(2, partition);
  const { reminder } = await makeReminder({ subscriberId: owned });
  const device = await makeDestination(owned, { channel: "push" });
  await record({});
  const [parcel] = await rows<{ id: string }>(database(), sql`select id from shipments limit 1`);
  subjects = {
    reminder: reminder.id,
    device: device.id,
    parcel: parcel?.id ?? "",
    partition,
    delivery: dead.reference,
    redrive: await started({ filter: { partition } }),
  };
});

/** What a role may expect of a kind of place. */
function expected(access: Access, role: Role): Outcome {
  const isShopper = role === "owner" || role === "other";
  const isPerson = isShopper || role === "viewer" || role === "operator";
  switch (access) {
    case "public":
    case "engine":
      return "in";
    case "signed in":
      return isPerson ? "in" : "sign in";
    case "own":
      return role === "owner" ? "in" : isPerson ? "absent" : "sign in";
    case "console":
      return !isPerson ? "sign in" : isShopper ? "absent" : "in";
    case "lever":
      if (!isPerson) return "sign in";
      return isShopper ? "absent" : role === "viewer" ? "read-only" : "in";
    case "session":
      return isPerson ? "in" : "unauthorised";
    case "link":
      return "absent";
    case "signature":
    case "metrics":
      return "unauthorised";
    default:
      if (role === access) return "in";
      return API_SCOPES.some((scope) => role === `key:${scope}`) ? "forbidden" : "unauthorised";
  }
}

/** Calls a place as somebody, with a subject that exists or one that does not, and says what came of it. */
async function visit(place: Place, visitor: Visitor, subject: "known" | "missing" = "known") {
  const headers = new Headers({
    ...visitor.headers,
    host: "127.0.0.1:3000",
    origin: "http://127.0.0.1:3000",
  });
  const scope = requestScope(headers);
  try {
    const result = await scope.run(
      () => place.run(...argumentsOf(place, headers, subject)) as Promise<never>,
    );
    // The sign-in library's own paths are held by the list of those that it answers.
    if (place.name.includes("/auth/")) return "in";
    const outcome = outcomeOf(result);
    // Who has the scope is let in, and told that this subject is none of the shop's.
    if (EXPECTED[place.name]?.startsWith("key:") && outcome === "absent") return "in";
    // Twilio wants 403 for what it did not sign.
    return EXPECTED[place.name] === "signature" && outcome === "forbidden" ? "unauthorised" : outcome;
  } catch (error) {
    const digest = String((error as { digest?: unknown }).digest ?? "");
    if (digest.startsWith("NEXT_REDIRECT"))
      return digest.split(";")[2]?.startsWith("/sign-in?next=") ? "sign in" : "in";
    if (digest.startsWith("NEXT_HTTP_ERROR_FALLBACK;404")) return "absent";
    throw new Error(`${place.name} failed`, { cause: error });
  }
}

function outcomeOf(result: unknown): Outcome {
  if (result instanceof Response) {
    if (result.status >= 500) throw new Error(`answered ${result.status}`);
    if (result.headers.get("www-authenticate") !== null || result.status === 401) return "unauthorised";
    if (result.headers.get("location") === "/r/unknown") return "absent";
    if (result.status === 403) return "forbidden";
    return result.status === 404 ? "absent" : "in";
  }
  return JSON.stringify((result as { message?: unknown } | undefined)?.message ?? "").includes(
    "role is read-only",
  )
    ? "read-only"
    : "in";
}

function argumentsOf(place: Place, headers: Headers, known: "known" | "missing"): unknown[] {
  const { kind, method, name } = place;
  const subject = (which: string) => (known === "known" ? (subjects[which] ?? MISSING) : MISSING);
  const params = {
    id: subject(name.includes("shipments") ? "parcel" : name.includes("redrives") ? "redrive" : "reminder"),
    key: encodeURIComponent(subject("partition")),
    reference: subject("delivery"),
    ...{ token: "x", externalId: "nobody", subscriber: "nobody" },
  };
  if (kind === "page") return [{ params: Promise.resolve(params), searchParams: Promise.resolve({}) }];
  if (kind === "route") {
    const pressed = name.includes("/answers/") ? '{"action":"done"}' : "{}";
    const body = method === "GET" || method === "DELETE" ? undefined : pressed;
    const url = `http://127.0.0.1:3000${name.includes("/auth/") ? "/api/auth/get-session" : "/x"}`;
    return [
      new Request(url, { method, headers, ...(body ? { body } : {}) }),
      { params: Promise.resolve(params) },
    ];
  }
  const about = name.includes("/channels/")
    ? subject("device")
    : name.includes("partitions/")
      ? subject("partition")
      : params.id;
  return actionArguments(place, about, new FormData());
}

/** One line for everything that is stored, apart from what limits and sessions count. */
async function everything(): Promise<string> {
  const tables = await rows<{ name: string }>(
    database(),
    sql`select table_name as name from information_schema.tables where table_schema = 'public'
      and table_type = 'BASE TABLE' and table_name not in ('rate_limits', 'auth_sessions') order by 1`,
  );
  const digests = tables.map(
    ({ name }) =>
      `select md5(coalesce(string_agg(t::text, '' order by t::text), '')) as one from "${name}" t`,
  );
  const all = await rows<{ one: string }>(database(), sql.raw(digests.join(" union all ")));
  return all.map(({ one }) => one).join();
}

test("every page, action and handler has its line, and every line its place", () => {
  expect(places.length).toBeGreaterThan(90);
  expect(places.map(({ name }) => name)).toEqual(Object.keys(EXPECTED).sort());
  expect(hiddenActions(), "an action inside another file is not listed").toEqual([]);
});

describe("every role meets at every place what the table says", () => {
  test("and whoever is refused has changed nothing", async () => {
    let tried = 0;
    for (const place of places) {
      const access = EXPECTED[place.name] as Access;
      if (access === "engine") continue;
      const before = await everything();
      const allowed: Role[] = [];
      for (const role of Object.keys(people) as Role[]) {
        const wanted = expected(access, role);
        if (wanted === "in") {
          allowed.push(role);
          continue;
        }
        tried += 1;
        expect(await visit(place, people[role]), `${role} at ${place.name}`).toBe(wanted);
      }
      expect(await everything(), `${place.name} changed something for somebody who was refused`).toBe(before);
      for (const role of allowed) {
        tried += 1;
        // What the owner does may end their session or their subject: readers first, and each subject is used once.
        if (/^(signOut|deleteAccount)/.test(place.method) && role !== "anonymous") continue;
        if (place.kind === "action" && access === "own") continue;
        expect(await visit(place, people[role]), `${role} at ${place.name}`).toBe("in");
      }
    }
    console.info(`${places.length} places × ${Object.keys(people).length} roles: ${tried} tried`);
    expect(tried).toBeGreaterThan(900);
  });

  test("what somebody else owns is as absent as what does not exist, for pages, actions and the API", async () => {
    const before = await everything();
    for (const place of places.filter(({ name }) => EXPECTED[name] === "own")) {
      for (const role of ["other", "viewer", "operator"] as const) {
        expect(await visit(place, people[role], "known"), place.name).toBe("absent");
        expect(await visit(place, people[role], "missing"), place.name).toBe("absent");
      }
    }
    expect(await everything()).toBe(before);
  });

  test("somebody else's number or device is neither changed, tried nor told from a missing one", async () => {
    const addresses = places.filter(
      ({ kind, method }) =>
        kind === "action" &&
        ["describe", "testDevice", "confirmPhone", "removeDestination", "opened"].includes(method),
    );
    expect(addresses).toHaveLength(5);
    const before = await everything();
    for (const place of addresses) {
      const answers = [];
      for (const subject of ["known", "missing"] as const) {
        const headers = new Headers(people.other.headers);
        const run = () => place.run(...argumentsOf(place, headers, subject)) as Promise<never>;
        answers.push(JSON.stringify((await requestScope(headers).run(run)) ?? null));
      }
      expect(answers[0], place.name).toBe(answers[1]);
    }
    expect(await everything()).toBe(before);
  });

  test("the owner's own actions are done", async () => {
    const own = places.filter(({ name, kind }) => EXPECTED[name] === "own" && kind === "action");
    expect(own.length).toBeGreaterThan(3);
    for (const place of own) expect(await visit(place, people.owner), place.name).toBe("in");
  });
});
