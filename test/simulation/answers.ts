import { finishReminder } from "../../db/reminders/done";
import { pauseReminder, restoreReminder, resumeReminder } from "../../db/reminders/pause";
import { scheduleReminder } from "../../db/reminders/schedule";
import { pauseEverything } from "../../db/shopper-choices";
import { dispatchAll } from "../../inngest/dispatch";
import { ringDoorbell } from "../../inngest/publish";
import type { Dice } from "./dice";
import { type Stage, type Told, wallTime } from "./stage";

const SHOP = { kind: "shop" } as const;
const DAY_MS = 86_400_000;

/** Shoppers deal with their reminders: done, paused and resumed, a cancel taken back, everything paused; and series. */
export function planAnswers(stage: Stage, dice: Dice): void {
  const { activeMs, changesMax } = stage.length;
  for (let left = dice.int(0, changesMax); left > 0; left -= 1) {
    const kind = dice.pick(["done", "done", "pause", "resume", "undo"] as const);
    const target = dice.random();
    const anyMs = dice.int(3_000, activeMs);
    stage.ask(stage.soonAfterWork(dice) ?? anyMs, `somebody wants: ${kind}`, () =>
      answer(stage, kind, target),
    );
  }
  if (dice.chance(0.1)) planPauseOfAll(stage, dice);
  if (dice.chance(0.15)) planSeries(stage, dice);
}

async function answer(stage: Stage, kind: "done" | "pause" | "resume" | "undo", target: number) {
  const reminder = stage.told[Math.floor(target * stage.told.length)];
  if (reminder === undefined) return;
  switch (kind) {
    case "done":
    case "pause": {
      const verb = kind === "done" ? finishReminder : pauseReminder;
      const stopped = await verb(SHOP, reminder.id);
      if (stopped.ok && !reminder.repeats)
        reminder.stops.push({ what: kind, fromMs: stage.world.nowMs(), untilMs: Number.POSITIVE_INFINITY });
      break;
    }
    case "resume":
      goesOn(reminder, stage.world.nowMs());
      await resumeReminder(SHOP, reminder.id);
      break;
    case "undo":
      goesOn(reminder, stage.world.nowMs());
      reminder.cancelled = null;
      await restoreReminder(SHOP, reminder.id);
  }
  stage.note(`${kind} of ${reminder.id}`);
  await ringDoorbell();
}

/** Somebody has asked for it again: whatever becomes of that, it is not known to be stopped any more. */
export function goesOn(reminder: Told, nowMs: number): void {
  for (const stop of reminder.stops) stop.untilMs = Math.min(stop.untilMs, nowMs);
}

function planPauseOfAll(stage: Stage, dice: Dice): void {
  const shopper = dice.pick(stage.shoppers);
  const atMs = dice.int(5_000, stage.length.activeMs);
  stage.ask(atMs, `${shopper.externalId} pauses everything`, async () => {
    const day = wallTime(stage.world.ledgerNowMs() + DAY_MS, shopper.timeZone).slice(0, 10);
    const paused = await pauseEverything(shopper.id, day);
    if (paused.ok)
      stage.pauses.push({
        subscriberId: shopper.id,
        fromMs: stage.world.nowMs(),
        untilMs: stage.world.nowMs() + DAY_MS / 2,
      });
  });
  if (!dice.chance(0.6)) return;
  stage.ask(atMs + dice.int(5_000, 40_000), `${shopper.externalId} takes the pause back`, async () => {
    for (const pause of stage.pauses) {
      if (pause.subscriberId === shopper.id) pause.untilMs = stage.world.nowMs();
    }
    const released = await pauseEverything(shopper.id, null);
    if (released.ok) await dispatchAll(released.value.partitions);
  });
}

/** A reminder that comes again and again; a story sees its first element and what becomes of the next. */
function planSeries(stage: Stage, dice: Dice): void {
  const shopper = dice.pick(stage.shoppers);
  const channels = dice.some(shopper.channels);
  const repeat = dice.pick([
    "FREQ=DAILY",
    "FREQ=DAILY;COUNT=3",
    "FREQ=WEEKLY;BYDAY=MO,WE,SU",
    "FREQ=MONTHLY",
  ]);
  const dueMs = stage.startMs + dice.int(8_000, stage.length.activeMs * 2);
  const dueAt = { local: wallTime(dueMs + 60_000, shopper.timeZone), timeZone: shopper.timeZone };
  stage.ask(dice.int(0, 5_000), `${shopper.externalId} sets a series ${repeat}`, async () => {
    const scheduled = await scheduleReminder({
      ...{ owner: SHOP, subscriberId: shopper.id, title: "Series", note: null, url: null, dueAt, channels },
      ...{ expiresAfterSeconds: 86_400, repeat },
    });
    if (!scheduled.ok) return;
    const { id, dueAt: toldDueAt } = scheduled.value.value;
    stage.told.push({
      ...{ id, shopper, createdAtMs: stage.world.ledgerNowMs(), dueAtMs: Date.parse(toldDueAt), wall: null },
      ...{ retimed: false, repeats: true, edits: [], cancelled: null, stops: [], inOrder: null },
    });
    await ringDoorbell();
  });
}
