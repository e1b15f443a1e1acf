import { OVERVIEW_LISTS, type OverviewInput, PAST_STATUSES } from "../../../../db/reminders/overview";

/** One screen of reminders. */
const PAGE_SIZE = 20;

type Query = Record<string, string | string[] | undefined>;

/** What of the list an address asks for; what it does not know, it reads as nothing asked. */
export function readSearch(query: Query): OverviewInput {
  const list = OVERVIEW_LISTS.find((name) => name === query.list) ?? "upcoming";
  const status = list === "past" ? PAST_STATUSES.find((name) => name === query.status) : undefined;
  const cursor = typeof query.after === "string" && query.after !== "" ? query.after : undefined;
  const words = typeof query.q === "string" ? query.q.replace(/\p{C}/gu, " ").trim().slice(0, 100) : "";
  return { list, status, cursor, limit: PAGE_SIZE, ...(words === "" ? {} : { words }) };
}

/** The address of a list. */
export function listAddress(input: Pick<OverviewInput, "list" | "status" | "cursor" | "words">): string {
  const query = new URLSearchParams();
  if (input.list !== "upcoming") query.set("list", input.list);
  if (input.status !== undefined) query.set("status", input.status);
  if (input.words !== undefined) query.set("q", input.words);
  if (input.cursor !== undefined) query.set("after", input.cursor);
  return query.size === 0 ? "/reminders" : `/reminders?${query}`;
}
