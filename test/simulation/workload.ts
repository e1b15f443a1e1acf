import { database } from "../../db/connection";
import { openNotice } from "../../db/notices";
import { cancelReminder } from "../../db/reminders/cancel";
import { editReminder } from "../../db/reminders/edit";
import { scheduleReminder } from "../../db/reminders/schedule";
import { snoozeReminder } from "../../db/reminders/snooze";
import type { Channel } from "../../db/rules/outcome";
import { setChannelWanted, updateShopper } from "../../db/shoppers";
import { putSubscriber, readSubscriber, retireDestination } from "../../db/subscribers";
import { dispatchAll } from "../../inngest/dispatch";
import { renderForChannels } from "../../inngest/messages/reminder-payloads";
import { ringDoorbell } from "../../inngest/publish";
import { goesOn, planAnswers } from "./answers";
import type { Dice } from "./dice";
import { planErasures } from "./erasure";
import { planInOrder } from "./in-order";
import { planOperators, planRedrives, planRefusals } from "./operators";
import { planOverload } from "./overload";
import { planShipments } from "./shipments";
import { type Shopper, type Stage, wallTime } from "./stage";

const SHOP = { kind: "shop" } as const;
const CHANNELS: readonly Channel[] = ["email", "sms", "push"];
const ZONES = ["Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "UTC"];

/** Sets the stage and plans what people do: everything is decided here, before anything runs. */
export async function plan(stage: Stage): Promise<void> {
  const dice = stage.dice.fork("people");
  const count = dice.int(1, stage.length.shoppersMax);
  for (let number = 0; number < count; number += 1) await makeShopper(stage, dice, number);
  planReminders(stage, dice);
  planChanges(stage, dice);
  planOperators(stage, dice);
  // Dice of their own: the stories of all seeds stay what they were, and get something more in them.
  planRedrives(stage, stage.dice.fork("redrives"));
  planAnswers(stage, stage.dice.fork("answers"));
  planShipments(stage, stage.dice.fork("shipments"));
  planRefusals(stage, stage.dice.fork("refusals"));
  planOverload(stage, stage.dice.fork("too large an import"));
  planInOrder(stage, stage.dice.fork("in order"));
  planErasures(stage, stage.dice.fork("erasures"));
}

async function makeShopper(stage: Stage, dice: Dice, number: number): Promise<void> {
  const externalId = `shopper-${number}`;
  const channels = dice.some(CHANNELS);
  const timeZone = dice.pick(ZONES);
  const devices = channels.includes("push")
    ? Array.from({ length: dice.int(1, 3) }, () =>
        stage.world.providers.addPushDevice({ profile: dice.pick(["fcm", "mozilla"] as const) }),
      )
    : [];
  const stored = await putSubscriber(externalId, {
    timeZone,
    locale: "en",
    verified: ["email", "phone"],
    ...(channels.includes("email") ? { email: `${externalId}@shopper.example` } : {}),
    ...(channels.includes("sms") ? { phone: `+1202555${String(1000 + number)}` } : {}),
    ...(devices.length > 0
      ? { pushSubscriptions: devices.map(({ endpoint, keys }) => ({ endpoint, keys })) }
      : {}),
  });
  if (!stored.ok) throw new Error(JSON.stringify(stored.problem));
  const quiet = dice.chance(0.3) ? quietHours(stage, dice, timeZone) : null;
  if (quiet !== null) await updateShopper(stored.value.id, { timeZone, quietHours: quiet });
  const view = await readSubscriber(database(), stored.value.id);
  stage.shoppers.push({
    id: stored.value.id,
    externalId,
    channels,
    timeZone,
    quiet,
    endpoints: devices.map((device) => device.endpoint),
    deviceIds: devices.map((device) => device.deviceId),
    emailId: view?.destinations.find((destination) => destination.channel === "email")?.id ?? null,
    ...{ eraseAskedAtMs: Number.POSITIVE_INFINITY, erasedAtMs: Number.POSITIVE_INFINITY },
  });
}

/** Some minutes of quiet that begin around the story's middle, so that work runs into them and out of them. */
function quietHours(stage: Stage, dice: Dice, timeZone: string): { start: string; end: string } {
  const fromMs = stage.startMs + dice.int(-5, stage.length.activeMs / 60_000) * 60_000;
  const wall = (ms: number) => wallTime(ms, timeZone).slice(11);
  return { start: wall(fromMs), end: wall(fromMs + dice.int(2, 8) * 60_000) };
}

function planReminders(stage: Stage, dice: Dice): void {
  const { activeMs, remindersMax } = stage.length;
  const count = dice.int(Math.ceil(remindersMax / 6), remindersMax);
  const herdDueMs = dice.chance(0.4) ? dice.int(activeMs * 0.2, activeMs * 0.8) : null;
  for (let number = 0; number < count; number += 1) {
    const atMs = dice.int(0, activeMs * 0.8);
    const shopper = dice.pick(stage.shoppers);
    const inMs = dice.pick([
      () => dice.int(300, 4_500),
      () => dice.int(5_000, 60_000),
      () => dice.int(activeMs / 6, activeMs / 1.5),
      () => dice.int(20, 200) * 60_000,
    ])();
    const dueMs = herdDueMs !== null && dice.chance(0.6) && herdDueMs > atMs + 500 ? herdDueMs : atMs + inMs;
    stage.busyAtMs.push(dueMs);
    planReminder(stage, {
      atMs,
      shopper,
      title: `Reminder ${number}`,
      dueMs,
      channels: dice.some(shopper.channels),
      expiresAfterSeconds: dice.chance(0.2) ? dice.int(60, 200) : 86_400,
      byWall: dice.chance(0.3),
    });
  }
}

/** One reminder, as somebody sets it at `atMs` of the story. */
export function planReminder(
  stage: Stage,
  wish: {
    atMs: number;
    shopper: Shopper;
    title: string;
    dueMs: number;
    channels: Channel[];
    expiresAfterSeconds: number;
    byWall: boolean;
  },
): void {
  const { shopper, title, channels, expiresAfterSeconds } = wish;
  const dueAt = dueOf(stage, wish);
  stage.ask(
    wish.atMs,
    `${shopper.externalId} sets "${title}" for ${JSON.stringify(dueAt)} by ${channels.join(", ")}`,
    async () => {
      const scheduled = await scheduleReminder({
        owner: SHOP,
        subscriberId: shopper.id,
        title,
        note: null,
        url: null,
        dueAt,
        channels,
        expiresAfterSeconds,
      });
      if (!scheduled.ok) return;
      const { id, dueAt: toldDueAt } = scheduled.value.value;
      stage.told.push({
        id,
        shopper,
        createdAtMs: stage.world.ledgerNowMs(),
        dueAtMs: Date.parse(toldDueAt),
        wall: typeof dueAt === "string" ? null : dueAt,
        retimed: false,
        repeats: false,
        edits: [],
        stops: [],
        inOrder: null,
        cancelled: null,
      });
      await ringDoorbell();
    },
  );
}

/** An instant, or what a clock on the wall shows then: on a day on which clocks change these are two things. */
function dueOf(
  stage: Stage,
  { dueMs, byWall, shopper }: { dueMs: number; byWall: boolean; shopper: Shopper },
): string | { local: string; timeZone: string } {
  const at = stage.startMs + dueMs;
  if (!byWall) return new Date(at).toISOString();
  return { local: wallTime(at, shopper.timeZone), timeZone: shopper.timeZone };
}

function planChanges(stage: Stage, dice: Dice): void {
  const { activeMs, changesMax } = stage.length;
  const changes = dice.int(0, changesMax);
  for (let number = 0; number < changes; number += 1) {
    const anyMs = dice.int(2_000, activeMs);
    const atMs = stage.soonAfterWork(stage.dice.fork(`change ${number}`)) ?? anyMs;
    const target = dice.random();
    const kind = dice.pick(["edit", "edit", "retime", "rechannel", "snooze", "cancel", "cancel"] as const);
    planChange(stage, {
      atMs,
      target,
      kind,
      number,
      laterMs: dice.int(200, 90_000),
      channels: dice.some(CHANNELS),
    });
  }
  for (const shopper of stage.shoppers) {
    if (dice.chance(0.25)) planOptOut(stage, dice, shopper);
    if (dice.chance(0.15)) planRemoval(stage, dice, shopper);
    if (dice.chance(0.4) && shopper.emailId !== null) planCode(stage, dice, shopper, shopper.emailId);
  }
}

function planChange(
  stage: Stage,
  change: {
    atMs: number;
    target: number;
    kind: "edit" | "retime" | "rechannel" | "snooze" | "cancel";
    number: number;
    laterMs: number;
    channels: Channel[];
  },
): void {
  stage.ask(change.atMs, `somebody wants: ${change.kind}`, async () => {
    const reminder = stage.told[Math.floor(change.target * stage.told.length)];
    if (reminder === undefined) return;
    const dueAt = new Date(stage.world.nowMs() + change.laterMs).toISOString();
    if (change.kind !== "cancel") goesOn(reminder, stage.world.nowMs());
    if (change.kind === "retime" || change.kind === "snooze") reminder.retimed = true;
    switch (change.kind) {
      case "edit":
      case "retime":
      case "rechannel": {
        const channels = change.channels.filter((channel) => reminder.shopper.channels.includes(channel));
        if (change.kind === "rechannel") reminder.inOrder = null;
        const patch = {
          edit: { title: `Edited ${change.number}` },
          retime: { dueAt },
          rechannel: channels.length > 0 ? { channels } : {},
        }[change.kind];
        const edited = await editReminder(SHOP, reminder.id, patch, renderForChannels);
        if (edited.ok) reminder.edits.push({ atMs: stage.world.nowMs(), version: edited.value.version });
        break;
      }
      case "snooze":
        await snoozeReminder(SHOP, reminder.id, { dueAt });
        break;
      case "cancel": {
        const cancelled = await cancelReminder(SHOP, reminder.id);
        if (cancelled.ok) {
          reminder.cancelled ??= { atMs: stage.world.nowMs(), channels: cancelled.value.channels };
          stage.note(`cancelled ${reminder.id}: ${JSON.stringify(cancelled.value.channels)}`);
        }
        break;
      }
    }
    await ringDoorbell();
  });
}

function planOptOut(stage: Stage, dice: Dice, shopper: Shopper): void {
  const channel = dice.pick(shopper.channels);
  const atMs = dice.int(10_000, stage.length.activeMs);
  stage.ask(atMs, `${shopper.externalId} turns ${channel} off`, async () => {
    await setChannelWanted(shopper.id, "reminders", channel, false);
    const fromMs = stage.world.nowMs();
    stage.optOuts.push({ subscriberId: shopper.id, channel, fromMs, untilMs: Number.POSITIVE_INFINITY });
  });
  if (!dice.chance(0.5)) return;
  stage.ask(atMs + dice.int(5_000, 60_000), `${shopper.externalId} turns ${channel} on`, async () => {
    // Whatever becomes of the request, the opt-out is no certainty any more.
    for (const optOut of stage.optOuts) {
      if (optOut.subscriberId === shopper.id && optOut.channel === channel)
        optOut.untilMs = stage.world.nowMs();
    }
    await setChannelWanted(shopper.id, "reminders", channel, true);
  });
}

function planRemoval(stage: Stage, dice: Dice, shopper: Shopper): void {
  const which = dice.random();
  stage.ask(dice.int(5_000, stage.length.activeMs), `${shopper.externalId} removes an address`, async () => {
    const view = await readSubscriber(database(), shopper.id);
    const destination = view?.destinations[Math.floor(which * view.destinations.length)];
    if (destination !== undefined) await retireDestination(shopper.id, destination.id);
  });
}

function planCode(stage: Stage, dice: Dice, shopper: Shopper, destinationId: string): void {
  for (let left = dice.int(1, 3); left > 0; left -= 1) {
    stage.ask(dice.int(1_000, stage.length.activeMs), `${shopper.externalId} asks for a code`, async () => {
      const opened = await openNotice({
        subscriberId: shopper.id,
        destinationId,
        template: "sign-in-code",
        content: { subject: "Your code", html: "<p>123456</p>", text: "123456" },
        cost: 1,
      });
      if (opened.ok) await dispatchAll([opened.value.partition]);
    });
  }
}
