import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { resetConfig } from "../../../db/config";
import { database, rows } from "../../../db/connection";
import { Dice } from "../../simulation/dice";
import { requestScope } from "../../support/request-scope";
import { actionArguments } from "../access/arguments";
import { EXPECTED } from "../access/expected";
import { everybody, type People } from "../access/people";
import { listPlaces, type Place } from "../access/places";
import { judgeResponse, judgeState, judgeThrown, type Outcome } from "./outcomes";
import { PARSERS } from "./parsers";
import { forged, formFor, headersFor, paramsFor, queryFor, requestFor, visitorFor } from "./requests";
import { goodBodies, makeSubjects, type Subjects } from "./subjects";
import { touched, watchEveryTable } from "./watch";

/** The suite repeats one seed, so that a change breaks it and not chance; `npm run fuzz` looks further, with any. */
const INPUTS = Number(process.env.FUZZ_INPUTS ?? 3_000);
const SEED = process.env.FUZZ_SEED ?? "257260";
const REPEAT = `npm run fuzz -- --inputs ${INPUTS} --seed ${SEED}`;

/** A third is for parsers and templates, which need no database. */
const PARSER_SHARE = 1 / 3;

/** CPU of this process for one input: a slow machine changes little about it. A collection of garbage is within it. */
const CPU_MS_MAX = 1_000;

/** More faults than this are not read. */
const FAULTS_MAX = 40;

/** After so many inputs at one place its subjects are made anew. */
const FRESH_EVERY = 150;

let people: People;
let places: Place[];
const count = { inputs: 0, refused: 0, slowestCpuMs: 0, slowest: "" };

beforeAll(async () => {
  process.env.AFTERSHIP_WEBHOOK_SECRET = "aftership-secret-of-this-test";
  process.env.METRICS_TOKEN = "metrics-token-of-this-test";
  resetConfig();
  people = await everybody();
  // The first use of a key is written down; the clock stands still, so no other is.
  await rows(database(), sql`update api_keys set last_used_at = ledger_now()`);
  // The engine's endpoint runs what it is told, by contract; that it refuses what is not signed is asked of the built app.
  places = (await listPlaces()).filter(({ name }) => EXPECTED[name] !== "engine");
  await watchEveryTable();
});

afterAll(() => {
  const { inputs, refused, slowestCpuMs, slowest } = count;
  const slow = `the slowest took ${slowestCpuMs.toFixed(0)} ms of CPU (${slowest})`;
  process.stderr.write(`fuzz, seed ${SEED}: ${inputs} inputs, ${refused} refused; ${slow}\n`);
});

test("the watch sees every change, so that its silence means something", async () => {
  await touched();
  await rows(database(), sql`update subscribers set time_zone = 'UTC'`);
  expect(await touched()).toEqual(["UPDATE subscribers"]);
  await rows(database(), sql`select * from subscribers for update`);
  expect(await touched()).toEqual([]);
});

test("every handler that reads a body has good bodies, of which bad ones are made", async () => {
  const subjects = await makeSubjects(people);
  const without = places.filter(
    ({ kind, method, name }) =>
      kind === "route" && /POST|PUT|PATCH/.test(method) && goodBodies(name, subjects) === undefined,
  );
  expect(without).toEqual([]);
});

test("no input makes a page, an action or a handler fail, be slow, lead away, echo markup, or change what it refuses", async () => {
  const faults: string[] = [];
  const each = Math.ceil((INPUTS * (1 - PARSER_SHARE)) / places.length);
  for (const place of places) {
    const dice = new Dice(`${SEED} ${place.name}`);
    let subjects = await makeSubjects(people);
    for (let number = 0; number < each && faults.length < FAULTS_MAX; number += 1) {
      if (number % FRESH_EVERY === FRESH_EVERY - 1) subjects = await makeSubjects(people);
      const found = await tryOne(place, dice, subjects);
      faults.push(...found.map((fault) => `${place.name}, input ${number}: ${fault}`));
    }
  }
  expect(faults, REPEAT).toEqual([]);
}, 3_600_000);

test("no input makes a parser or a template fail, be slow, or give what its readers do not expect", async () => {
  const faults: string[] = [];
  const each = Math.ceil((INPUTS * PARSER_SHARE) / Object.keys(PARSERS).length);
  for (const [name, parse] of Object.entries(PARSERS)) {
    const dice = new Dice(`${SEED} ${name}`);
    for (let number = 0; number < each && faults.length < FAULTS_MAX; number += 1) {
      const { result, cpuMs } = await metered(name, async () => {
        try {
          return await parse(dice);
        } catch (error) {
          return `threw ${(error as Error).stack ?? error}`;
        }
      });
      if (typeof result === "string") faults.push(`${name}, input ${number}: ${result}`);
      if (cpuMs > CPU_MS_MAX) faults.push(`${name}, input ${number}: ${cpuMs.toFixed(0)} ms of CPU`);
    }
  }
  expect(faults, REPEAT).toEqual([]);
}, 3_600_000);

async function tryOne(place: Place, dice: Dice, subjects: Subjects): Promise<string[]> {
  await giveTurnsBack();
  await touched();
  let shown = "";
  const { result, cpuMs } = await metered(place.name, async () => {
    const { told, run } = inputFor(place, dice, subjects);
    shown = told;
    return run();
  });
  const { refused, faults } = result;
  if (refused) count.refused += 1;
  const changes = refused || place.kind === "page" || place.method === "GET" ? await touched() : [];
  if (changes.length > 0) faults.push(`${refused ? "refused" : "only read"}, and: ${changes.join(", ")}`);
  if (cpuMs > CPU_MS_MAX) faults.push(`took ${cpuMs.toFixed(0)} ms of CPU`);
  return faults.map((fault) => `${fault}\n  for ${shown.slice(0, 1_500)}`);
}

/** One input, in words for whoever has to mend it, and the visit with it. */
function inputFor(
  place: Place,
  dice: Dice,
  subjects: Subjects,
): { told: string; run: () => Promise<Outcome> } {
  const headers = headersFor(dice, visitorFor(dice, place, people));
  const params = paramsFor(dice, place, subjects);
  const scope = requestScope(headers);
  const visit = <T>(call: () => unknown, judge: (result: T) => Outcome | Promise<Outcome>) =>
    scope.run(async () => call() as Promise<T>).then(judge, judgeThrown);
  if (place.kind === "page") {
    const query = queryFor(dice);
    const props = { params: Promise.resolve(params), searchParams: Promise.resolve(query) };
    const told = JSON.stringify({ params, query });
    return {
      told,
      run: () =>
        visit(
          () => place.run(props),
          () => ({ refused: false, faults: [] }),
        ),
    };
  }
  if (place.kind === "action") {
    const about = place.name.includes("/channels/")
      ? subjects.device
      : ((place.name.includes("partitions/") ? params.key : params.id) ?? "");
    const values = actionArguments(place, about, formFor(dice, subjects)).map((one) => forged(dice, one));
    const told = JSON.stringify(values.map((one) => (one instanceof FormData ? [...one] : one)));
    return { told, run: () => visit(() => place.run(...values), judgeState) };
  }
  const request = requestFor(dice, place, subjects, headers);
  const told = `${request.method} ${request.url} ${JSON.stringify([...headers])} ${JSON.stringify(params)}`;
  const run = async () => {
    const context = { params: Promise.resolve(params) };
    return visit<Response>(() => place.run(request, context), judgeResponse);
  };
  return { told, run };
}

async function metered<T>(name: string, work: () => Promise<T>): Promise<{ result: T; cpuMs: number }> {
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  const cpuMs = (user + system) / 1000;
  count.inputs += 1;
  if (cpuMs > count.slowestCpuMs) {
    count.slowestCpuMs = cpuMs;
    count.slowest = name;
  }
  return { result, cpuMs };
}

/** The clock stands still, so no turn of a limit comes back by itself. */
async function giveTurnsBack(): Promise<void> {
  if (count.inputs % 50 === 0) await rows(database(), sql`delete from rate_limits`);
}
