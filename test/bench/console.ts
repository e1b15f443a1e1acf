import postgres from "postgres";
import { ensurePartitions } from "../../db/admission/partitions";
import { closeDatabase, database } from "../../db/connection";
import { previewRedrive } from "../../db/redrive/preview";
import { makeSignInLink } from "../../db/sign-in-links";
import { consoleAddresses } from "../browser/console-places";
import { fillDeliveries } from "../support/ledger-fill";
import { fillLedger } from "./backlog";
import type { Bench, Figures } from "./bench";
import { percentile } from "./figures";
import type { Stage } from "./stage";

const KEY = "email:resend:main";
const EMAIL = "olga@punctual.example";
const DAY_MS = 86_400_000;

/** Somebody with so many deliveries that a look at all of theirs would be felt. */
const HEAVY_ROWS = 50_000;
const DEAD_ROWS = 15_000;
const WAITING_ROWS = 2_000;

/** Before the measured looks: the page is compiled and its statements are planned. */
const WARM_UP_LOOKS = 3;

/** The console on a ledger that is full: every page by itself. */
export const bench: Bench = {
  question: "every page of the console, and /api/metrics, on a million rows",
  floor: "one look by index for each number that a page shows: some tens of milliseconds",
  rates: { email: 100 },
  startsPrograms: true,
  parameters: (scale) => ({ rows: Math.round(1_000_000 * scale), looks: 20 }),
  targets: { pageP95Ms: { atMost: 300 }, metricsP95Ms: { atMost: 300 } },
  async run(stage, { rows = 0, looks = 0 }) {
    process.env.DATABASE_URL = stage.databaseUrl;
    try {
      const subjects = await fill(stage, rows);
      await stage.startPrograms();
      return await lookAtPages(stage, subjects, looks);
    } finally {
      await closeDatabase();
    }
  },
};

interface Subjects {
  subscriber: string;
  reference: string;
  redrive: string;
}

/** The history, one heavy subscriber, dead letters and a little that waits; and something for each page to show. */
async function fill(stage: Stage, rows: number): Promise<Subjects> {
  await ensurePartitions(database(), [
    { key: KEY, channel: "email", provider: "resend", ceiling: 100, burst: 5, concurrency: 100 },
  ]);
  const alike = { partition: KEY, channel: "email", lane: "standard", owners: 1_000 } as const;
  const others = HEAVY_ROWS + DEAD_ROWS + WAITING_ROWS;
  await fillLedger(stage, stage.sql, { ...alike, state: "delivered", count: Math.max(1_000, rows - others) });
  const sql = postgres(stage.databaseUrl, { max: 1, onnotice: () => {} });
  try {
    await sql`set session_replication_role = replica`;
    const base = { channel: "email", partition: KEY } as const;
    const subscriber = await fillDeliveries(sql, {
      ...base,
      state: "delivered",
      count: HEAVY_ROWS,
      spreadMs: 20 * DAY_MS,
    });
    await fillDeliveries(sql, { ...base, state: "dead", count: DEAD_ROWS, spreadMs: 13 * DAY_MS });
    await fillDeliveries(sql, { ...base, state: "deferred", count: WAITING_ROWS });
    const unknown = { reason: "outcome_unknown", lastClass: "ambiguous", unresolved: true } as const;
    await fillDeliveries(sql, { ...base, ...unknown, state: "dead", count: 1 });
    await sql`vacuum (analyze)`;
    await sql`insert into auth_users (id, name, email, email_verified, role, created_at, updated_at)
      values ('olga', 'Olga', ${EMAIL}, true, 'operator', ledger_now(), ledger_now())`;
    const [dead] = await sql<
      { reference: string }[]
    >`select reference from deliveries where reason = 'outcome_unknown'`;
    const previewed = await previewRedrive({ filter: { channel: "email" } }, "olga");
    if (!previewed.ok) throw new Error(JSON.stringify(previewed.problem));
    return { subscriber, reference: dead?.reference ?? "", redrive: previewed.value.id };
  } finally {
    await sql.end();
  }
}

/** Every page of the console as the code has them, and the lists with what narrows them down. */
function addresses({ subscriber, reference, redrive }: Subjects): string[] {
  const named = { "[key]": encodeURIComponent(KEY), "[reference]": reference, "[id]": redrive };
  // Forms over what the redrive's own page reads, and only for one that runs.
  const pages = consoleAddresses(named).filter((page) => !page.startsWith(`/ops/redrives/${redrive}/`));
  return [
    ...pages,
    "/ops?span=6h",
    `/ops/deliveries?subscriber=${subscriber}`,
    "/ops/deliveries?state=dead&reason=message_rejected",
    "/ops/deliveries?state=deferred",
    "/ops/deliveries?lane=urgent&within=7d",
    "/ops/dead-letters/list?channel=email",
  ];
}

async function lookAtPages(stage: Stage, subjects: Subjects, looks: number): Promise<Figures> {
  const cookie = await signIn(stage);
  const figures: Figures = {};
  for (const address of addresses(subjects)) {
    const name = address
      .replace(subjects.subscriber, "…")
      .replace(subjects.reference, "…")
      .replace(subjects.redrive, "…");
    const found = await p95(`${stage.app}${address}`, { cookie }, looks);
    if (found !== null) figures[name] = found;
  }
  const pageP95Ms = Math.max(...Object.values(figures));
  const metricsP95Ms = await p95(
    `${stage.app}/api/metrics`,
    { authorization: `Bearer ${METRICS_TOKEN}` },
    looks,
  );
  return { pageP95Ms, metricsP95Ms: metricsP95Ms ?? Number.NaN, ...figures };
}

/** The local stack's own, `commands/dev-settings.ts`. */
const METRICS_TOKEN = "metrics-of-the-local-stack";

/** From the request to the last byte; null for a page that leads elsewhere. One that is not there would be quick: it is an error. */
async function p95(url: string, headers: Record<string, string>, looks: number): Promise<number | null> {
  const times: number[] = [];
  for (let look = 0; look < WARM_UP_LOOKS + looks; look += 1) {
    const startMs = performance.now();
    const response = await fetch(url, { headers, redirect: "manual" });
    const text = await response.text();
    if (response.status === 307) return null;
    if (response.status !== 200 || text.includes("could not be shown"))
      throw new Error(`${url} answered ${response.status}`);
    if (look >= WARM_UP_LOOKS) times.push(performance.now() - startMs);
  }
  return percentile(times, 0.95);
}

/** As an operator does when email is broken: by a link. */
async function signIn(stage: Stage): Promise<string> {
  const link = await makeSignInLink(EMAIL, stage.app, { name: "bench", reason: "looks at the console" });
  if (!link.ok) throw new Error(JSON.stringify(link.problem));
  const response = await fetch(link.value.url, { redirect: "manual" });
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0])
    .join("; ");
}
