import { admit, type Parcel, releaseAdmissions } from "../../db/admission/admit";
import { type Operator, resumePartition, setOwner } from "../../db/admission/controls";
import { bumpSilentPumps, restPump, ringIfLive } from "../../db/admission/pump";
import { transact } from "../../db/connection";
import type { Claim } from "../../db/ledger/begin";
import { claimGroup } from "../../db/ledger/begin";
import { readDue } from "../../db/ledger/due";
import { expireDue } from "../../db/ledger/expire";
import { keepForRun, returnForSlot, returnRows } from "../../db/ledger/hold";
import { openDeliveries } from "../../db/ledger/open";
import { recoverLeases } from "../../db/ledger/recover";
import { settleAttempts } from "../../db/ledger/settle";
import { openNotice } from "../../db/notices";
import { cancelReminder } from "../../db/reminders/cancel";
import { editReminder, type RenderReminder } from "../../db/reminders/edit";
import { scheduleReminder } from "../../db/reminders/schedule";
import { snoozeReminder } from "../../db/reminders/snooze";
import type { Channel, Outcome } from "../../db/rules/outcome";
import { setChannelWanted } from "../../db/shoppers";
import { putSubscriber } from "../../db/subscribers";
import { inMs, makeDestination } from "./factories";
import { ended, renderPayloads } from "./ledger";
import { testClock } from "./test-clock";

const SHOP = { kind: "shop" } as const;
const OPERATOR: Operator = { name: "ops", reason: "storm" };
const CHANNELS: readonly Channel[] = ["email", "sms", "push"];

const render: RenderReminder = async (reminder) =>
  reminder.channels.map((channel) => ({ channel, content: { text: reminder.title }, cost: 1 }));

const ACCEPTED: Outcome = { class: "accepted", providerMessageId: "msg" };

/** What a provider may answer; what closes the whole partition comes seldom. */
const OUTCOMES: readonly Outcome[] = [
  ...Array.from({ length: 25 }, () => ACCEPTED),
  ...Array.from({ length: 10 }, (): Outcome => ({ class: "transient" })),
  ...Array.from({ length: 5 }, (): Outcome => ({ class: "ambiguous" })),
  { class: "throttled", retryAfterMs: 700, scope: "partition" },
  { class: "throttled", retryAfterMs: 900, scope: "unknown" },
  { class: "throttled", retryAfterMs: 900, scope: "destination" },
  { class: "not_made" },
  { class: "destination_rejected", disposition: "gone" },
  { class: "destination_rejected", disposition: "opted_out" },
  { class: "message_rejected" },
  { class: "quota", retryAfterMs: null },
  { class: "config_rejected" },
];

export interface Shopper {
  id: string;
  emailId: string;
  externalId: string;
}

/** Every verb of the ledger, on whatever there is, as badly timed as chance will have it. */
export class Storm {
  readonly reminders: string[] = [];
  private readonly parcels: Parcel[] = [];
  private readonly claims: Claim[] = [];
  private readonly runs: { runId: string; ids: string[] }[] = [];
  private runCount = 0;

  constructor(
    private readonly random: () => number,
    private readonly shoppers: readonly Shopper[],
    private readonly partitions: readonly string[],
  ) {}

  private pick<T>(list: readonly T[]): T | undefined {
    return list[Math.floor(this.random() * list.length)];
  }

  private take<T>(list: T[]): T | undefined {
    return list.splice(Math.floor(this.random() * list.length), 1)[0];
  }

  async schedule(): Promise<void> {
    const channels = CHANNELS.filter(() => this.random() < 0.6);
    const scheduled = await scheduleReminder({
      ...{
        owner: SHOP,
        subscriberId: this.pick(this.shoppers)?.id ?? "",
        title: "Storm",
        note: null,
        url: null,
      },
      ...{ dueAt: inMs(Math.floor(this.random() * 4000) + 1).toISOString(), expiresAfterSeconds: 600 },
      channels: channels.length === 0 ? ["email"] : channels,
    });
    if (scheduled.ok) this.reminders.push(scheduled.value.value.id);
  }

  async open(): Promise<void> {
    const due = await readDue({ fromMs: 0, untilMs: testClock.nowMs() + 2000, limit: 20 });
    for (const { occurrenceId, version } of due) await renderPayloads({ id: occurrenceId, version });
    const ids = due.map((row) => row.occurrenceId);
    await openDeliveries(this.random() < 0.5 ? ids : ids.toReversed());
  }

  async notice(): Promise<void> {
    const shopper = this.pick(this.shoppers);
    if (shopper === undefined) return;
    await openNotice({
      ...{ subscriberId: shopper.id, destinationId: shopper.emailId, template: "sign-in-code" as const },
      ...{ content: { text: "123456" }, cost: 1 },
    });
  }

  async change(): Promise<void> {
    const id = this.pick(this.reminders);
    if (id === undefined) return;
    const dueAt = inMs(Math.floor(this.random() * 3000) + 1).toISOString();
    const channels = CHANNELS.filter(() => this.random() < 0.6);
    const edits = [
      () => editReminder(SHOP, id, { title: `Storm ${this.random()}` }, render),
      () => editReminder(SHOP, id, { dueAt }, render),
      () => editReminder(SHOP, id, { channels: channels.length === 0 ? ["push"] : channels }, render),
      () => snoozeReminder(SHOP, id, { minutes: 0.05 }),
      () => cancelReminder(SHOP, id),
    ];
    await this.pick(edits)?.();
  }

  async admit(): Promise<void> {
    this.parcels.push(...(await admit(this.pick(this.partitions) ?? "")).parcels);
  }

  async claim(): Promise<void> {
    // A run of its own, or one that wakes up for rows that it keeps; sometimes the same parcel reaches two runs.
    const kept = this.random() < 0.2 ? this.take(this.runs) : undefined;
    const parcel = this.random() < 0.2 ? this.pick(this.parcels) : this.take(this.parcels);
    const deliveryIds = kept?.ids ?? parcel?.deliveryIds;
    if (parcel === undefined || deliveryIds === undefined) return;
    this.runCount += 1;
    const runId = kept?.runId ?? `run-${this.runCount}`;
    const { partition, channel } = parcel;
    const outcome = await claimGroup({
      partition,
      channel,
      deliveryIds,
      runId,
      hashContent: (row) => row.reference,
    });
    this.claims.push(...outcome.begun);
    if (this.random() < 0.2) await returnForSlot(partition, deliveryIds);
    if (this.random() < 0.2) await returnRows(deliveryIds);
  }

  async settle(): Promise<void> {
    const claim = this.random() < 0.1 ? this.pick(this.claims) : this.take(this.claims);
    if (claim === undefined) return;
    const others = this.claims.filter((other) => other.partition === claim.partition && this.random() < 0.3);
    const calls = [claim, ...others.filter((other) => other !== claim)];
    const { deliveries } = await settleAttempts(
      claim.partition,
      calls.map((each) => ended(each, this.pick(OUTCOMES) ?? ACCEPTED)),
    );
    const deferred = deliveries.filter((row) => row.state === "deferred").map((row) => row.deliveryId);
    if (deferred.length > 0 && this.random() < 0.5) {
      this.runCount += 1;
      const runId = `run-${this.runCount}`;
      await keepForRun(deferred, runId, 800);
      this.runs.push({ runId, ids: deferred });
    }
  }

  async sweep(): Promise<void> {
    await recoverLeases({ partition: null, limit: 50 });
    await transact((tx) => expireDue(tx, { partition: null, limit: 50 }));
    await bumpSilentPumps({ all: this.random() < 0.3 });
  }

  async pump(): Promise<void> {
    const partition = this.pick(this.partitions) ?? "";
    const ring = await ringIfLive(partition);
    if (ring !== null) await restPump(ring);
    const lost = this.random() < 0.3 ? this.take(this.parcels) : undefined;
    if (lost !== undefined) await releaseAdmissions([lost.admissionId]);
  }

  /** Shoppers come back after a device was gone, or switch a channel off and on. */
  async choose(): Promise<void> {
    const shopper = this.pick(this.shoppers);
    const channel = this.pick(CHANNELS);
    if (shopper === undefined || channel === undefined) return;
    await makeDestination(shopper.id, { channel });
    await setChannelWanted(shopper.id, "reminders", channel, this.random() < 0.8);
    await putSubscriber(shopper.externalId, {
      timeZone: "Europe/Berlin",
      phone: `+1202555${String(Math.floor(this.random() * 9000) + 1000)}`,
      verified: ["phone"],
    });
  }

  async operate(): Promise<void> {
    const partition = this.pick(this.partitions) ?? "";
    if (this.random() < 0.5) await resumePartition(partition, OPERATOR);
    else await setOwner(partition, 1 + Math.floor(this.random() * 2), OPERATOR);
  }

  /** One step of a worker. */
  async step(): Promise<void> {
    const verbs = [
      this.schedule,
      this.schedule,
      this.open,
      this.open,
      this.change,
      this.change,
      this.admit,
      this.admit,
      this.admit,
      this.claim,
      this.claim,
      this.claim,
      this.settle,
      this.settle,
      this.sweep,
      this.pump,
      this.notice,
      this.choose,
      this.operate,
      this.operate,
    ];
    await (this.pick(verbs) ?? this.admit).call(this);
  }

  /** Lets everything come to its end: opened, admitted, claimed, accepted, recovered. Returns the rounds it took. */
  async calm(isOver: () => Promise<boolean>): Promise<number> {
    for (let round = 1; round <= 60; round += 1) {
      await testClock.advance(30_000);
      await this.open();
      await this.sweep();
      for (const partition of this.partitions) {
        await resumePartition(partition, OPERATOR);
        for (const { deliveryIds, channel } of (await admit(partition)).parcels) {
          const claimed = await claimGroup({
            partition,
            channel,
            deliveryIds,
            runId: `calm-${round}`,
            hashContent: (row) => row.reference,
          });
          await settleAttempts(
            partition,
            claimed.begun.map((claim) => ended(claim, ACCEPTED)),
          );
        }
      }
      if (await isOver()) return round;
    }
    throw new Error("The ledger did not come to rest.");
  }
}
