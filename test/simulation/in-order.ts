import { scheduleReminder } from "../../db/reminders/schedule";
import type { Channel } from "../../db/rules/outcome";
import { ringDoorbell } from "../../inngest/publish";
import type { ProviderName, Settings } from "../../standins/providers";
import type { Dice } from "./dice";
import type { Shopper, Stage } from "./stage";

const SHOP = { kind: "shop" } as const;

/** Stories with a reminder that tries one channel, then the next. */
const SHARE = 0.2;

/** What a channel answers when it cannot reach anybody, for certain. */
const UNREACHABLE: Record<Channel, { provider: ProviderName; faults: readonly string[] }> = {
  email: { provider: "resend", faults: ["error:validation_error"] },
  sms: { provider: "twilio", faults: ["error:21610", "error:21211"] },
  push: { provider: "push", faults: ["gone"] },
};

/** One channel, then the next: the first arrives, hangs, or cannot reach anybody. */
export function planInOrder(stage: Stage, dice: Dice): void {
  if (!dice.chance(SHARE)) return;
  const many = stage.shoppers.filter((shopper) => shopper.channels.length > 1);
  if (many.length === 0) return;
  for (let left = dice.int(1, 3); left > 0; left -= 1) {
    const shopper = dice.pick(many);
    const channels = shuffled(dice, shopper.channels);
    const dueMs = dice.int(6_000, stage.length.activeMs * 0.6);
    planOne(stage, { shopper, channels, dueMs, minutes: dice.int(1, 2), atMs: dice.int(0, 4_000) });
    stage.busyAtMs.push(dueMs);
    if (dice.chance(0.6)) planUnreachable(stage, dice, dueMs, { shopper, channel: channels[0] ?? "email" });
  }
}

function shuffled<T>(dice: Dice, from: readonly T[]): T[] {
  return from
    .map((item) => ({ item, at: dice.random() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ item }) => item);
}

function planUnreachable(
  stage: Stage,
  dice: Dice,
  dueMs: number,
  { shopper, channel }: { shopper: Shopper; channel: Channel },
): void {
  const { provider, faults } = UNREACHABLE[channel];
  const fault = dice.pick(faults);
  // Of several devices one may still be there: then the next channel waits its time.
  const change: Partial<Settings> =
    channel === "push" ? { fault, faultTo: dice.pick(shopper.deviceIds) } : { fault, faultCount: 1 };
  stage.at(dueMs - 1_000, () => {
    stage.note(`${provider}, before the next channel: ${JSON.stringify(change)}`);
    stage.world.providers.control(provider, change);
  });
}

function planOne(
  stage: Stage,
  wish: { shopper: Shopper; channels: Channel[]; dueMs: number; minutes: number; atMs: number },
): void {
  const { shopper, channels, dueMs, minutes } = wish;
  const what = `${shopper.externalId} sets a reminder by ${channels.join(", then ")}`;
  stage.ask(wish.atMs, what, async () => {
    const scheduled = await scheduleReminder({
      ...{ owner: SHOP, subscriberId: shopper.id, title: "In order", note: null, url: null, channels },
      ...{ dueAt: new Date(stage.startMs + dueMs).toISOString(), expiresAfterSeconds: 86_400 },
      nextChannelAfterMinutes: minutes,
    });
    if (!scheduled.ok) return;
    const { id, dueAt } = scheduled.value.value;
    stage.told.push({
      ...{ id, shopper, createdAtMs: stage.world.ledgerNowMs(), dueAtMs: Date.parse(dueAt), wall: null },
      ...{ retimed: false, repeats: false, edits: [], cancelled: null, stops: [] },
      inOrder: { channels, stepMs: minutes * 60_000 },
    });
    await ringDoorbell();
  });
}
