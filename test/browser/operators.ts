import type { Browser, BrowserContext } from "playwright-core";
import postgres from "postgres";
import type { Stack } from "../support/stack";
import { freshEmail, signIn, visit } from "./visitor";

/** Signs somebody in and gives them a role, as `npm run ops -- role` does. */
export async function signInAs(
  browser: Browser,
  stack: Stack,
  role: "shopper" | "viewer" | "operator",
  options: Parameters<typeof visit>[1] = {},
): Promise<{ context: BrowserContext; email: string }> {
  const context = await visit(browser, options);
  const page = await context.newPage();
  const email = freshEmail();
  await signIn(page, stack, email);
  await withDatabase(stack, (sql) => sql`update auth_users set role = ${role} where email = ${email}`);
  await page.close();
  return { context, email };
}

/** Asks or changes the stack's own database. */
export async function withDatabase<T>(stack: Stack, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(stack.databaseUrl, { max: 1, onnotice: () => {} });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}
