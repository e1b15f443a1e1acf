import { auditInOrder } from "./audit-in-order";
import type { Evidence, Report } from "./evidence";
import type { OptOut, PauseOfAll, Shopper, Told } from "./stage";

/** What people chose for themselves, as far as it was confirmed. */
export interface Choices {
  shoppers: readonly Shopper[];
  told: readonly Told[];
  optOuts: readonly OptOut[];
  pauses: readonly PauseOfAll[];
}

/** P6: what people chose for themselves holds: channels, pauses, quiet hours, an order of channels, to be erased. */
export function auditChoices(choices: Choices, evidence: Evidence, report: Report): void {
  for (const optOut of choices.optOuts) auditOptOut(optOut, evidence, report);
  for (const pause of choices.pauses) auditPauseOfAll(pause, evidence, report);
  for (const shopper of choices.shoppers) {
    auditQuiet(shopper, evidence, report);
    auditErased(shopper, evidence, report);
  }
  for (const told of choices.told) auditInOrder(told, evidence, report);
}

/** Once an erasure is confirmed nothing of theirs begins or waits, and what is left says nothing. */
function auditErased({ id, eraseAskedAtMs, erasedAtMs }: Shopper, evidence: Evidence, report: Report): void {
  for (const row of evidence.deliveries) {
    if (row.subscriberId !== id) continue;
    if (row.reason === "erased" && eraseAskedAtMs === Number.POSITIVE_INFINITY)
      report("P5", "ended as erased, and nobody asked for it", row.key);
    if (erasedAtMs === Number.POSITIVE_INFINITY) continue;
    for (const attempt of evidence.attempts.get(row.id) ?? []) {
      if (attempt.begunAtMs > erasedAtMs) report("P6", "begun for somebody who is erased", row.key);
    }
    if (row.hasContent) report("P6", "the message of somebody who is erased is kept", row.key);
  }
}

/** P6: a channel that was turned off is not used for reminders. */
function auditOptOut(optOut: OptOut, evidence: Evidence, report: Report): void {
  for (const row of evidence.deliveries) {
    if (row.subscriberId !== optOut.subscriberId || row.channel !== optOut.channel) continue;
    if (row.reminderId === null) continue;
    for (const attempt of evidence.attempts.get(row.id) ?? []) {
      if (attempt.begunAtMs > optOut.fromMs && attempt.begunAtMs < optOut.untilMs) {
        report("P6", "begun although the channel is off", row.key);
      }
    }
  }
}

function auditPauseOfAll(pause: PauseOfAll, evidence: Evidence, report: Report): void {
  for (const row of evidence.deliveries) {
    if (row.subscriberId !== pause.subscriberId || row.lane === "urgent") continue;
    for (const attempt of evidence.attempts.get(row.id) ?? []) {
      if (attempt.begunAtMs > pause.fromMs && attempt.begunAtMs < pause.untilMs)
        report("P6", "begun although everything is paused", row.key);
    }
  }
}

function auditQuiet(shopper: Shopper, evidence: Evidence, report: Report): void {
  if (shopper.quiet === null) return;
  const { start, end } = shopper.quiet;
  const wall = new Intl.DateTimeFormat("en-GB", {
    timeZone: shopper.timeZone,
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  const isQuiet = (atMs: number) => {
    const clock = wall.format(atMs);
    return start < end ? clock >= start && clock < end : clock >= start || clock < end;
  };
  for (const row of evidence.deliveries) {
    if (row.subscriberId !== shopper.id || row.lane === "urgent") continue;
    for (const { begunAtMs, slotAtMs } of evidence.attempts.get(row.id) ?? []) {
      // A claim is made a moment ahead of its instant, and hours are judged at that.
      if (isQuiet(begunAtMs) && isQuiet(slotAtMs))
        report("P6", `begun at ${wall.format(begunAtMs)}, inside quiet hours`, row.key);
    }
  }
}
