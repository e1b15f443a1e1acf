import type { ProviderName, Settings } from "../../../standins/providers";
import type { Dice } from "../dice";
import type { Stage } from "../stage";
import { PROVIDERS, type Strike } from "./strike";

/** What a Retry-After looks like in the wild, usable or not: half of them usable, for the gate to be held to. */
const RETRY_AFTERS = [
  ...Array.from({ length: 8 }, () => "seconds"),
  ...Array.from({ length: 4 }, () => "http-date"),
  "absent",
  "soon",
  "60s",
  "",
  "-3",
  "0",
  "1e3",
  "1.5",
  "7, 12",
  // A date long past, and the two obsolete forms that RFC 9110 (5.6.7) still has a recipient read.
  "Sun, 06 Nov 1994 08:49:37 GMT",
  "Sunday, 06-Nov-94 08:49:37 GMT",
  "Sun Nov  6 08:49:37 1994",
];

/** A limit that sinks while there is work: the one trouble that is certain to come. */
const throttleEverything: Strike = (stage, dice, atMs) => {
  const provider = dice.pick(PROVIDERS);
  const named = { retryAfter: dice.pick(RETRY_AFTERS), retryAfterSeconds: dice.int(1, 40) };
  const change: Partial<Settings> = dice.chance(0.5)
    ? { ...named, fault: "throttle", faultCount: dice.int(1, 12) }
    : { ...named, ratePerSecond: dice.pick([0.2, 0.5, 1, 2]), burst: 1 };
  stage.at(atMs, () => {
    stage.note(`${provider}: ${JSON.stringify(change)}`);
    stage.world.providers.control(provider, change);
  });
  const endMs = Math.min(atMs + dice.int(5_000, 90_000), stage.length.faultsEndMs);
  stage.at(endMs, () => stage.world.providers.restoreDefaults(provider));
};

const troubleProvider: Strike = (stage, dice, atMs) => {
  const provider = dice.pick(PROVIDERS);
  const change = providerTrouble(stage, dice, provider);
  const forMs = dice.int(2_000, 60_000);
  stage.at(atMs, () => {
    if (change.latencyMs === undefined) stage.note(`${provider}: ${JSON.stringify(change)}`);
    else stage.struck("provider: slow", `${provider} takes ${change.latencyMs} ms`);
    stage.world.providers.control(provider, change);
  });
  stage.at(Math.min(atMs + forMs, stage.length.faultsEndMs), () =>
    stage.world.providers.restoreDefaults(provider),
  );
};

function providerTrouble(stage: Stage, dice: Dice, provider: ProviderName): Partial<Settings> {
  const named = {
    retryAfter: dice.pick(RETRY_AFTERS),
    retryAfterSeconds: dice.chance(0.1) ? dice.int(60, 400) : dice.int(1, 30),
  };
  const faultCount = dice.int(1, 6);
  const kind = dice.int(0, 9);
  if (kind === 4) return { latencyMs: dice.int(200, 12_000) };
  if (kind === 5 && dice.chance(0.5)) return { fault: dice.pick(["quota", "unauthorized"]), faultCount: 1 };
  if (kind === 6) {
    const deviceIds = stage.shoppers.flatMap((shopper) => shopper.deviceIds);
    if (provider === "push" && deviceIds.length > 0) return { fault: "gone", faultTo: dice.pick(deviceIds) };
    if (provider === "twilio") return { fault: dice.pick(["error:21610", "error:21211"]), faultCount: 1 };
  }
  return {
    ...named,
    fault: dice.pick([
      "hang",
      "reset",
      "close",
      "truncate",
      "refuse",
      "html-502",
      "json-500",
      "null-500",
      "html-200",
    ]),
    faultWhen: dice.pick(["before", "after"] as const),
    faultCount,
  };
}

/** Somebody uninstalls the app or clears the browser: the service says that the device is gone. */
const revoke: Strike = (stage, dice, atMs) => {
  const deviceIds = stage.shoppers.flatMap((shopper) => shopper.deviceIds);
  if (deviceIds.length === 0) return;
  const change = { fault: "gone", faultTo: dice.pick(deviceIds) };
  stage.at(atMs, () => {
    stage.note(`push: ${JSON.stringify(change)}`);
    stage.world.providers.control("push", change);
  });
};

/** The account's day is used up; the next probe finds it so too, until somebody buys more. */
const exhaustQuota: Strike = (stage, dice, atMs) => {
  const provider = dice.pick(["resend", "twilio"] as const);
  const change: Partial<Settings> = dice.chance(0.5)
    ? { dailyQuota: dice.int(0, 4) }
    : { fault: "quota", faultCount: dice.int(1, 3), retryAfter: dice.pick(["seconds", "90", "absent"]) };
  stage.at(atMs, () => {
    stage.note(`${provider}: ${JSON.stringify(change)}`);
    stage.world.providers.control(provider, change);
  });
};

/** Reports on messages come twice, in the wrong order or not at all, from one provider. */
const troubleReports: Strike = (stage, dice, atMs) => {
  const provider = dice.pick(["resend", "twilio"] as const);
  const receipts = dice.pick(["twice", "reversed", "absent"] as const);
  stage.at(atMs, () => {
    stage.struck(`reports: ${receipts}`, `from ${provider}`);
    stage.world.providers.control(provider, { receipts });
  });
};

export const PROVIDER_STRIKES = { troubleProvider, throttleEverything, revoke, exhaustQuota, troubleReports };
