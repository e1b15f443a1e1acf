import { setTimeout as sleep } from "node:timers/promises";
import { fillLedger } from "./backlog";
import type { Bench } from "./bench";
import { accepted } from "./evidence";
import { percentile } from "./figures";
import type { Stage } from "./stage";
import { warmUp } from "./warm-up";

/** After the last code was asked for: longer than any of them may take. */
const LAST_CODE_MS = 5_000;

/** People sign in while a bulk burst fills the provider's whole rate: how long until the code leaves? */
export const bench: Bench = {
  question: "from asking for a sign-in code to its email at the provider, beside a saturated bulk lane",
  floor: "one slot of the rate and the request itself; the backlog alone would take backlog ÷ rate",
  rates: { email: 50 },
  parameters: (scale) => ({
    ratePerSecond: 50,
    codes: Math.round(60 * scale),
    codesPerSecond: 3,
    bulkDeliveries: Math.round(2000 * scale),
  }),
  targets: {
    urgentP99Ms: { atMost: 1_500, peer: "first in, first out: the backlog's whole drain" },
    bulkShareOfRate: { atLeast: 0.75 },
    throttledPerThousand: { atMost: 0 },
    duplicates: { atMost: 0 },
  },
  async run(stage, { ratePerSecond = 0, codes = 0, codesPerSecond = 1, bulkDeliveries = 0 }) {
    await stage.control("resend", { ratePerSecond, burst: 10 });
    await warmUp(stage, ["email"]);
    await signInForm(stage);
    const [partition] = await stage.sql<
      { key: string }[]
    >`select key from partitions where channel = 'email'`;
    await fillLedger(stage, stage.sql, {
      partition: partition?.key ?? "",
      channel: "email",
      lane: "bulk",
      state: "ready",
      count: bulkDeliveries,
      owners: Math.max(1, Math.round(bulkDeliveries / 2)),
    });
    // The first code's own admission finds the backlog too.
    const askedAtMs = new Map<string, number>();
    const answerMs: number[] = [];
    const beginMs = Date.now();
    const asking = Array.from({ length: codes }, async (_, index) => {
      await sleep((index * 1000) / codesPerSecond);
      const address = `person-${index}@shopper.example`;
      const startMs = Date.now();
      askedAtMs.set(address, startMs);
      await askForCode(stage, address);
      answerMs.push(Date.now() - startMs);
    });
    await Promise.all(asking);
    const endMs = Date.now();
    await sleep(LAST_CODE_MS);
    const sends = accepted(await stage.calls("resend"));
    const waits = sends.flatMap((call) => {
      const asked = askedAtMs.get(call.destination);
      return asked === undefined ? [] : [call.at - asked];
    });
    const bulk = sends.filter((call) => !askedAtMs.has(call.destination) && call.at <= endMs).length;
    const summary = await stage.summary("resend");
    return {
      urgentP99Ms: percentile(waits, 0.99),
      urgentP50Ms: percentile(waits, 0.5),
      urgentMaxMs: Math.max(...waits),
      answerP99Ms: percentile(answerMs, 0.99),
      answerP50Ms: percentile(answerMs, 0.5),
      bulkShareOfRate: bulk / (((endMs - beginMs) / 1000) * ratePerSecond),
      throttledPerThousand: (summary.throttled / summary.accepted) * 1000,
      duplicates: summary.duplicates,
      missing: codes - waits.length,
    };
  },
};

/** The hidden fields by which the sign-in page names its action: the form works without JavaScript. */
async function signInForm(stage: Stage): Promise<[string, string][]> {
  const page = await (await fetch(`${stage.app}/sign-in`)).text();
  const form = /<form[\s\S]*?<\/form>/.exec(page)?.[0] ?? "";
  const inputs = [...form.matchAll(/<input[^>]*>/g)].map(([input]) => input);
  const attribute = (input: string, name: string) => new RegExp(`${name}="([^"]*)"`).exec(input)?.[1] ?? "";
  return inputs
    .filter((input) => attribute(input, "type") === "hidden")
    .map((input) => [unescaped(attribute(input, "name")), unescaped(attribute(input, "value"))]);
}

let formFields: [string, string][] | null = null;

async function askForCode(stage: Stage, address: string): Promise<void> {
  formFields ??= await signInForm(stage);
  const body = new FormData();
  for (const [name, value] of formFields) body.append(name, value);
  body.set("email", address);
  const response = await fetch(`${stage.app}/sign-in`, { method: "POST", body, redirect: "manual" });
  await response.arrayBuffer();
  if (response.status !== 303) throw new Error(`asking for a code answered ${response.status}`);
}

function unescaped(text: string): string {
  return text
    .replaceAll("&quot;", '"')
    .replaceAll("&#x27;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}
