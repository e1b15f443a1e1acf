import { effects } from "../db/effects";
import type { Claim } from "../db/ledger/begin";
import { retakeSlots } from "../db/ledger/retake";
import { type SettledCall, type SettledDelivery, settleAttempts } from "../db/ledger/settle";
import type { Channel } from "../db/rules/outcome";
import { GROUP_MS } from "../db/rules/slots";
import { noteCallTime } from "./call-times";
import { forgetLines } from "./in-turn";
import { expectedAnswerMs, forgetLedgerClock, monotonicOf, noteLedgerClock } from "./ledger-clock";
import { log } from "./log";
import { contentHashOf, type Preparable, prepare } from "./prepare";
import {
  adapterFor,
  isUnpreparable,
  type Prepared,
  type ProviderAnswer,
  type Unpreparable,
} from "./providers";
import { forgetSlots } from "./slot-turns";

/**
 * Acceptances that come within this time of each other share a transaction: a group of slots, and a little for calls
 * that take unequally long. Anything else is written down at once, because it may close the gate.
 */
const GATHER_MS = GROUP_MS + 10;

/** Slots that lapse this close together share one exchange. */
const LAPSED_GATHER_MS = 2;

/** Between two tries to write an outcome down while the database does not answer. */
const SETTLE_RETRY_MS = 250;

/** The newest epoch this process has seen, by partition: slots of older ones are void without asking the database. */
const holder = globalThis as unknown as { punctualEpochs?: Map<string, number> };

function epochs(): Map<string, number> {
  holder.punctualEpochs ??= new Map();
  return holder.punctualEpochs;
}

/** Forgets what this process has seen, for a ledger that starts anew under it (tests, simulation, a promotion). */
export function forgetEpochs(): void {
  epochs().clear();
  forgetSlots();
  forgetLedgerClock();
  forgetLines();
}

function noteEpoch(partition: string, epoch: number): void {
  const known = epochs().get(partition) ?? 0;
  if (epoch <= known) return;
  epochs().set(partition, epoch);
  forgetSlots(partition);
}

/** When a call may leave, and until when, on the monotonic clock. */
interface Slot {
  atMs: number;
  lapsesAtMs: number;
}

/** A slot of the ledger's clock that was just granted. */
function slotAt(ledgerMs: number, toleranceMs: number): Slot {
  const atMs = monotonicOf(ledgerMs);
  return { atMs, lapsesAtMs: atMs + toleranceMs };
}

interface Ended {
  call: SettledCall;
  /** On the monotonic clock: until when the settlement may be retried. */
  leaseEndMs: number;
}

/**
 * The calls of one parcel: each leaves at its slot's instant, on the monotonic clock, with a deadline; each outcome is
 * settled as it comes, a few together, never across a call that still runs. No connection is held during a call.
 */
export class DeliveryCalls {
  private readonly inFlight = new Set<Promise<void>>();
  private readonly settled: SettledDelivery[] = [];
  /** Other partitions in which something became due because of these calls. */
  readonly awakened = new Set<string>();
  private ended: Ended[] = [];
  private settling: Promise<void> | null = null;
  private lapsed: Claim[] = [];
  private exchange: Promise<Map<string, Slot>> | null = null;
  private readonly prepared = new Map<string, Prepared | Unpreparable>();

  constructor(
    private readonly partition: string,
    private readonly channel: Channel,
  ) {}

  /** Prepares the request of an attempt that is about to begin, for `start`. Returns the hash of its content. */
  prepare(row: Omit<Preparable, "partition" | "channel">): string {
    const { partition, channel } = this;
    const prepared = prepare({ ...row, partition, channel });
    this.prepared.set(row.attemptId, prepared);
    return contentHashOf(prepared);
  }

  /**
   * Starts the calls of a group that was claimed at `nowMs` of the ledger's clock. `askedAtMs`, on the monotonic clock,
   * is when the claim was asked for: leases are counted from there, because its answer may have lain unread while the
   * process stood still.
   */
  start(claims: readonly Claim[], askedAtMs: number, nowMs: number): void {
    for (const claim of claims) {
      noteEpoch(this.partition, claim.epoch);
      const slot = slotAt(nowMs + claim.slotInMs, claim.toleranceMs);
      const flight = this.fly(claim, askedAtMs, slot).finally(() => this.inFlight.delete(flight));
      this.inFlight.add(flight);
    }
  }

  /** Waits until every call has come back and is written down. Rejects when the ledger could not be reached in time. */
  async finished(): Promise<SettledDelivery[]> {
    while (this.inFlight.size > 0) await Promise.all(this.inFlight);
    while (this.settling !== null) await this.settling;
    return this.settled;
  }

  private async fly(claim: Claim, askedAtMs: number, granted: Slot): Promise<void> {
    const leaseEndMs = askedAtMs + claim.leaseInMs;
    const slot = await this.waitForSlot(claim, granted, leaseEndMs);
    const startMs = effects.monotonicMs();
    const answer = await this.call(claim, startMs > slot.lapsesAtMs, leaseEndMs - startMs);
    const callMs = effects.monotonicMs() - startMs;
    if (answer.outcome.class !== "not_made") noteCallTime(this.channel, answer.outcome.class, callMs);
    this.ended.push({ call: toSettledCall(claim, answer, callMs), leaseEndMs });
    if (answer.outcome.class !== "accepted") return this.settleEnded();
    this.settling ??= this.settleSoon();
    await this.settling;
  }

  /**
   * Waits for a granted slot. One that has lapsed meanwhile, because the process stood still or the grant was long on its
   * way, is exchanged for a new one while the lease lasts: a late call would crowd the window of the slots after it.
   */
  private async waitForSlot(claim: Claim, granted: Slot, leaseEndMs: number): Promise<Slot> {
    const { deadlineMs } = adapterFor(this.channel);
    for (let slot = granted; ; ) {
      await effects.sleep(slot.atMs - effects.monotonicMs());
      const nowMs = effects.monotonicMs();
      if (nowMs <= slot.lapsesAtMs || this.isVoid(claim) || leaseEndMs - nowMs < deadlineMs) return slot;
      this.exchange ??= this.exchangeSoon(claim.epoch);
      const { exchange } = this;
      this.lapsed.push(claim);
      const renewed = (await exchange).get(claim.attemptId);
      if (renewed === undefined) return slot;
      slot = renewed;
    }
  }

  /** One stall makes several slots lapse: they are exchanged together. */
  private async exchangeSoon(epoch: number): Promise<Map<string, Slot>> {
    await effects.sleep(LAPSED_GATHER_MS);
    const claims = this.lapsed;
    this.lapsed = [];
    this.exchange = null;
    try {
      const taken = await retakeSlots(this.partition, {
        epoch,
        costs: claims.map((claim) => claim.cost),
        answerMs: expectedAnswerMs(),
      });
      if (taken === null) return new Map();
      noteLedgerClock(taken.nowMs);
      const slots = taken.slotsAtMs.map((slotAtMs, index): [string, Slot] => [
        claims[index]?.attemptId ?? "",
        slotAt(slotAtMs, taken.toleranceMs),
      ]);
      return new Map(slots);
    } catch (error) {
      // Without new slots the calls are not made; their rows go back.
      log.warn("exchanging lapsed slots failed", { partition: this.partition, error });
      return new Map();
    }
  }

  private isVoid(claim: Claim): boolean {
    return (epochs().get(this.partition) ?? 0) > claim.epoch;
  }

  private async call(claim: Claim, late: boolean, leaseLeftMs: number): Promise<ProviderAnswer> {
    if (this.isVoid(claim)) return notMade("epoch");
    if (late) return notMade("late");
    // A call that its lease does not cover to the end may meet what others have made of the row meanwhile.
    const adapter = adapterFor(this.channel);
    if (leaseLeftMs < adapter.deadlineMs) return notMade("lease");
    if (!claim.sameContent) return rejected("content differs from the first attempt");
    const prepared = this.prepared.get(claim.attemptId) ?? prepare(claim);
    if (isUnpreparable(prepared)) return { ...rejected(prepared.invalid), outcome: prepared.outcome };
    return adapter.send(prepared, {
      expiresInSeconds: claim.expiresInSeconds,
      signal: effects.deadline(adapter.deadlineMs),
    });
  }

  private async settleSoon(): Promise<void> {
    try {
      if (this.inFlight.size > 1) await effects.sleep(GATHER_MS);
      await this.settleEnded();
    } finally {
      this.settling = null;
    }
  }

  private async settleEnded(): Promise<void> {
    while (this.ended.length > 0) {
      const batch = this.ended;
      this.ended = [];
      await this.settle(batch);
    }
  }

  private async settle(batch: readonly Ended[]): Promise<void> {
    const untilMs = Math.min(...batch.map((entry) => entry.leaseEndMs));
    for (;;) {
      try {
        const outcome = await settleAttempts(
          this.partition,
          batch.map((entry) => entry.call),
        );
        noteEpoch(this.partition, outcome.epoch);
        this.settled.push(...outcome.deliveries);
        for (const partition of outcome.awakened) this.awakened.add(partition);
        return;
      } catch (error) {
        log.warn("settling failed", { partition: this.partition, count: batch.length, error });
        if (effects.monotonicMs() + SETTLE_RETRY_MS >= untilMs) throw error;
        await effects.sleep(SETTLE_RETRY_MS);
      }
    }
  }
}

function toSettledCall(claim: Claim, answer: ProviderAnswer, callMs: number): SettledCall {
  const { outcome, status, code, retryAfterRaw, detail, observedRatePerSecond } = answer;
  const { attemptId, deliveryId, token, epoch } = claim;
  return {
    attemptId,
    deliveryId,
    token,
    epoch,
    outcome,
    status,
    code,
    retryAfterRaw,
    detail,
    observedRatePerSecond,
    callMs,
  };
}

const NO_CALL = {
  status: null,
  retryAfterRaw: null,
  providerMessageId: null,
  observedRatePerSecond: null,
};

function notMade(why: string): ProviderAnswer {
  return { ...NO_CALL, outcome: { class: "not_made" }, code: why, detail: null };
}

function rejected(why: string): ProviderAnswer {
  return { ...NO_CALL, outcome: { class: "message_rejected" }, code: "not_sent", detail: why };
}
