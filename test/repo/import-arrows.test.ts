import { expect, test } from "vitest";
import { importFindings } from "./import-arrows";
import { codeFiles, listed } from "./source-files";

test("imports follow the arrows: app → inngest → db → db/schema → db/rules", () => {
  expect(listed(codeFiles().flatMap(importFindings))).toBe("");
});

const FORBIDDEN: [path: string, text: string, reason: RegExp][] = [
  ["db/rules/meter.ts", 'import { createHash } from "node:crypto";', /the rules are pure/],
  ["db/rules/meter.ts", 'import { effects } from "../effects";', /the rules are pure/],
  ["db/schema/meters.ts", 'import { database } from "../connection";', /tables are words/],
  ["db/reminders.ts", 'import { inngest } from "../inngest/client";', /the ledger is the authority/],
  ["db/reminders.ts", 'import { NonRetriableError } from "inngest";', /the ledger is the authority/],
  [
    "inngest/providers/resend.ts",
    'import { settle } from "../../db/attempts";',
    /sees neither ledger nor engine/,
  ],
  ["inngest/messages/reminder.tsx", 'import { database } from "../../db/connection";', /rendered once/],
  ["inngest/functions/sweep.ts", 'import { sql } from "drizzle-orm";', /statements live in db/],
  ["inngest/functions/sweep.ts", 'import { Page } from "../../app/page";', /pages and commands are above/],
  ["app/page.tsx", 'import { deliveries } from "../db/schema";', /statements live in db/],
  ["app/page.tsx", 'const all = await import("../inngest");', /serves the function list/],
  ["app/page.tsx", 'import { sweep } from "../inngest/functions/sweep";', /serves the function list/],
  ["app/page.tsx", 'export { inbox } from "../standins/providers/inbox";', /built without stand-ins/],
  ["app/form.tsx", '"use client";\nimport { readOne } from "../db/reminders";', /sent to the browser/],
  [
    "standins/engine/main.ts",
    'import { retryAfter } from "../../db/rules/retry-after";',
    /speaks the wire protocol/,
  ],
  ["commands/seed.ts", 'import { createClone } from "../test/support/clones";', /does not use tests/],
];

test.each(FORBIDDEN)("%s with %s is found, with the reason", (path, text, reason) => {
  expect(listed(importFindings({ path, text }))).toMatch(reason);
});

const ALLOWED: [path: string, text: string][] = [
  ["db/rules/due-time.ts", 'import { Temporal } from "temporal-polyfill";'],
  [
    "inngest/providers/resend.ts",
    'import { effects } from "../../db/effects";\nimport { Resend } from "resend";',
  ],
  ["app/api/inngest/route.ts", 'import { functions } from "../../../inngest";'],
  [
    "app/form.tsx",
    '"use client";\nimport type { Reminder } from "../db/reminders";\nimport { useState } from "react";',
  ],
  ["app/form.tsx", '"use client";\nimport { parse } from "../db/rules/due-time";'],
];

test.each(ALLOWED)("%s with %s is right", (path, text) => {
  expect(listed(importFindings({ path, text }))).toBe("");
});
