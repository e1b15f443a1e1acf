import { randomUUID } from "node:crypto";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { database, transact } from "../../db/connection";
import { storePayloads } from "../../db/payloads";
import * as schema from "../../db/schema";

const { payloads } = schema;

test("the first rendering of a version is the one that is sent, however many render it", async () => {
  const sourceId = randomUUID();
  const rendering = (text: string, version = 1) => ({
    ...{ sourceId, channel: "email" as const, version },
    ...{ content: { text }, cost: 1 },
  });
  const stored = () =>
    database().select().from(payloads).where(eq(payloads.sourceId, sourceId)).orderBy(payloads.version);
  await Promise.all(["one", "two", "three"].map((text) => storePayloads([rendering(text)])));
  await storePayloads([]);
  const [first, ...more] = await stored();
  expect(more).toEqual([]);
  await storePayloads([rendering("late"), rendering("next version", 2)]);
  expect((await stored()).map((row) => row.content)).toEqual([
    first?.content,
    // Whom an email is from is stored with it: a later setting changes no byte of it.
    { text: "next version", from: "Punctual <reminders@punctual.example>" },
  ]);
});

test("content that is stored with its fact goes with it when the fact fails", async () => {
  const sourceId = randomUUID();
  const broken = transact(async (tx) => {
    await storePayloads([{ sourceId, channel: "sms", version: 1, content: { text: "x" }, cost: 2 }], tx);
    throw new Error("the fact was not committed");
  });
  await expect(broken).rejects.toThrow("not committed");
  expect(await database().select().from(payloads).where(eq(payloads.sourceId, sourceId))).toEqual([]);
});
