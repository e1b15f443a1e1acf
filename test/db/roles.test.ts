import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { database, rows } from "../../db/connection";
import { setRole } from "../../db/roles";
import * as schema from "../../db/schema";

const OPERATOR = { name: "grace", reason: "joins the rota" };

const roleOf = async (email: string) =>
  (await rows<{ role: string }>(database(), sql`select role from auth_users where email = ${email}`))[0]
    ?.role;

test("a role is given to somebody who has signed in, on record; a wrong one, nobody's and one without a reason are not", async () => {
  await rows(
    database(),
    sql`insert into auth_users (id, name, email, email_verified, created_at, updated_at)
      values ('u-1', 'Anna', 'anna@punctual.example', true, ledger_now(), ledger_now())`,
  );
  expect(await roleOf("anna@punctual.example")).toBe("shopper");
  expect(await setRole("Anna@punctual.example", "viewer", OPERATOR)).toMatchObject({ ok: true });
  expect(await roleOf("anna@punctual.example")).toBe("viewer");
  const refused = [
    await setRole("anna@punctual.example", "admin", OPERATOR),
    await setRole("nobody@punctual.example", "operator", OPERATOR),
    await setRole("anna@punctual.example", "operator", { name: "grace", reason: " " }),
  ];
  expect(refused.map((outcome) => !outcome.ok && outcome.problem.code)).toEqual([
    "invalid_input",
    "not_found",
    "invalid_input",
  ]);
  expect(await roleOf("anna@punctual.example")).toBe("viewer");
  // The audit log names the account by its id: an address is personal.
  expect(await database().select().from(schema.operatorActions)).toMatchObject([
    { action: "role", target: "u-1", operator: "grace", details: { before: "shopper", role: "viewer" } },
  ]);
});
