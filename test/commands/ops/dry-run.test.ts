import { sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { admit } from "../../../db/admission/admit";
import { database, rows } from "../../../db/connection";
import { replaceEffects } from "../../../db/effects";
import { previewRedrive } from "../../../db/redrive/preview";
import { testClock } from "../../support/database";
import { emptyLedger, makeDelivery, makePartition } from "../../support/factories";
import { ops as runCommand } from "../../support/ops-command";
import { makeDead, makeUnknown, started } from "../../support/redrives";

/** The partition, the dead letters and the redrives that the commands are about. */
let subject: Record<"partition" | "dead" | "unknown" | "preview" | "running", string>;

beforeEach(async () => {
  await emptyLedger();
  await rows(
    database(),
    sql`insert into auth_users (id, name, email, email_verified, role, created_at, updated_at)
      values ('olga', 'Olga', 'olga@punctual.example', true, 'operator', ledger_now(), ledger_now()) on conflict do nothing`,
  );
  const partition = await makePartition();
  const [one, two, three] = await makeDead(3, partition);
  const unknown = await makeUnknown(partition);
  await makeDelivery({ partition, state: "delivered" });
  const running = await started({ filter: { partition } });
  await makeDead(2, partition);
  const previewed = await previewRedrive({ filter: { partition } }, "olga");
  if (!previewed.ok) throw new Error(previewed.problem.code);
  const dead = [one, two, three].map((row) => row?.reference ?? "");
  subject = {
    partition,
    dead: dead[0] ?? "",
    unknown: unknown.reference,
    preview: previewed.value.id,
    running,
  };
});

/** Whoever calls the engine in a rehearsal is told. */
async function ops(...words: string[]) {
  let called = 0;
  const restore = replaceEffects({
    fetch: async () => {
      called += 1;
      return Response.json({ ids: ["event"], status: 200 });
    },
  });
  try {
    const told = await runCommand(...words);
    return { ...told, called };
  } finally {
    restore();
  }
}

/** Everything that the ledger holds, in one number per table. */
async function snapshot(): Promise<Record<string, string>> {
  const tables = await rows<{ name: string }>(
    database(),
    sql`select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
  );
  const found: Record<string, string> = {};
  for (const { name } of tables) {
    const [row] = await rows<{ hash: string }>(
      database(),
      sql`select coalesce(md5(string_agg(t::text, '|' order by t::text)), '') as hash from ${sql.identifier(name)} t`,
    );
    found[name] = row?.hash ?? "";
  }
  return found;
}

const WHY = ["--reason", "a rehearsal", "--as", "grace"];

/** Every verb that changes something, with words that it would carry out. */
const CHANGES: Record<string, (given: typeof subject) => string[]> = {
  pause: ({ partition }) => ["pause", partition, "--for", "30m", ...WHY],
  resume: ({ partition }) => ["resume", partition, ...WHY],
  rate: ({ partition }) => ["rate", partition, "7", "--burst", "2", ...WHY],
  lane: ({ partition }) => ["lane", partition, "bulk", "3", ...WHY],
  owner: ({ partition }) => ["owner", partition, "2", ...WHY],
  drain: ({ partition }) => ["drain", partition, ...WHY],
  hold: () => ["hold", ...WHY],
  role: () => ["role", "olga@punctual.example", "viewer", ...WHY],
  "api-key": () => ["api-key", "shop"],
  slo: () => ["slo", "sms", "standard", "p99AgeMs", "1000", ...WHY],
  "cleanup off": () => ["cleanup", "off", ...WHY],
  "cleanup on": () => ["cleanup", "on", ...WHY],
  "cleanup run": () => ["cleanup", "run"],
  retention: () => ["retention", "delivered", "60", ...WHY],
  approve: () => ["approve", "delivered", "slo", ...WHY],
  "sign-in-link": () => ["sign-in-link", "olga@punctual.example", ...WHY],
  promote: () => ["promote", "--snapshot-at", new Date(testClock.nowMs() - 60_000).toISOString(), ...WHY],
  lift: () => ["lift", "email", "ada@shopper.example", ...WHY],
  "dead-letters dismiss": ({ unknown }) => ["dead-letters", "dismiss", unknown, ...WHY],
  "dead-letters resolve": ({ unknown }) => [
    "dead-letters",
    "resolve",
    unknown,
    "not-arrived",
    "--send-again",
    ...WHY,
  ],
  "redrive preview": ({ partition }) => ["redrive", "preview", "--partition", partition],
  "redrive start": ({ preview }) => ["redrive", "start", preview, "--confirm", "2", ...WHY],
  "redrive pause": ({ running }) => ["redrive", "pause", running, ...WHY],
  "redrive stop": ({ running }) => ["redrive", "stop", running, ...WHY],
};

test("every changing verb rehearses with --dry-run: it answers, changes nothing and calls nobody", async () => {
  const before = await snapshot();
  for (const [name, words] of Object.entries(CHANGES)) {
    const told = await ops(...words(subject), "--dry-run", "--json");
    expect({ name, ...told }).toMatchObject({ name, code: 0, called: 0 });
    expect(JSON.parse(told.lines[0] ?? ""), name).toMatchObject({ dryRun: true });
  }
  expect(await snapshot()).toEqual(before);
});

test("a rehearsal meets the same checks as the change, with the same exit code", async () => {
  const refused: string[][] = [
    ["pause", "email:nobody", ...WHY],
    ["rate", subject.partition, "-1", ...WHY],
    ["lane", subject.partition, "express", "3", ...WHY],
    ["role", "nobody@punctual.example", "viewer", ...WHY],
    ["retention", "dead", "3", ...WHY],
    ["redrive", "start", subject.preview, "--confirm", "7", ...WHY],
    ["dead-letters", "dismiss", "no-such-reference", ...WHY],
    ["pause", subject.partition],
    ["constructor"],
    ["pause", subject.partition, "--until", "noon"],
  ];
  for (const words of refused) expect([words, (await ops(...words, "--dry-run")).code]).toEqual([words, 2]);
});

test("a rehearsed key or link is not told: it would open nothing", async () => {
  const told = [
    ...(await ops("api-key", "shop", "--dry-run", "--json")).lines,
    ...(await ops("sign-in-link", "olga@punctual.example", "--dry-run", "--json", ...WHY)).lines,
  ];
  expect(told.join()).not.toMatch(/pk_|token=/);
});

test("the same words without --dry-run do change the ledger", async () => {
  const before = await snapshot();
  for (const name of ["lane", "slo", "retention", "redrive pause", "hold"])
    expect((await ops(...(CHANGES[name]?.(subject) ?? []), "--json")).code).toBe(0);
  const after = await snapshot();
  for (const table of ["lanes", "slos", "retention", "redrives", "operator_actions", "ledger_state"])
    expect(after[table], table).not.toBe(before[table]);
  expect((await ops("hold", ...WHY)).code).toBe(2);
  expect(await admit(subject.partition)).toMatchObject({ gate: { why: "held" } });
  expect((await ops("release", ...WHY)).code).toBe(0);
  expect(await admit(subject.partition)).toMatchObject({ gate: null });
});
