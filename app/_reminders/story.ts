import type { DeliveryView } from "../../db/reminders/read";
import type { ReminderView } from "../../db/reminders/views";
import { CHANNELS } from "../../db/rules/api-schemas";
import { tellAttempt, tellOccurrence } from "../../db/rules/occurrence-words";
import type { Channel } from "../../db/rules/outcome";
import { fill, type Speech } from "../../db/rules/speech";
import { type Phrase, type StoryLine, tellDelivery } from "../../db/rules/words";

/** What became of a reminder on one channel, or on one device. */
export interface StoryEntry {
  key: string;
  channel: Channel;
  name: string;
  line: StoryLine;
  /** Every call that was made, for whoever wants to know exactly; empty when there is nothing beyond the sentence. */
  calls: Phrase[];
  /** When it is expected to change by itself; null when it is not live. */
  expectedAtMs: number | null;
}

export interface Story {
  /** The latest on each channel. */
  now: StoryEntry[];
  /** What came before, newest first. */
  earlier: StoryEntry[];
  live: boolean;
}

/** Puts a reminder's deliveries into the order in which a person asks: what now, on each channel, and what before. */
export function storyOf(
  reminder: ReminderView,
  deliveries: readonly DeliveryView[],
  nowMs: number,
  language: Speech<"story">,
): Story {
  const { occurrence, status } = reminder;
  const waits = occurrence.state === "waiting" && status === "active";
  const now: StoryEntry[] = [];
  const shown = new Set<string>();
  for (const channel of CHANNELS) {
    const own = deliveries.filter((delivery) => delivery.channel === channel);
    const wanted = reminder.channels.includes(channel);
    const latest = own.filter((delivery) => delivery.occurrence === own.at(-1)?.occurrence);
    if (wanted && (waits || latest.length === 0)) {
      now.push(withoutDelivery(reminder, channel, nowMs, language));
    } else {
      for (const delivery of latest) {
        now.push(entryOf(delivery, language));
        shown.add(delivery.key);
      }
    }
  }
  const earlier = deliveries
    .filter((delivery) => !shown.has(delivery.key))
    .map((delivery) => entryOf(delivery, language));
  return {
    now,
    earlier: earlier.reverse(),
    live: [...now, ...earlier].some((entry) => entry.line.live),
  };
}

function withoutDelivery(
  reminder: ReminderView,
  channel: Channel,
  nowMs: number,
  language: Speech<"story">,
): StoryEntry {
  const { occurrence } = reminder;
  const dueAtMs = Date.parse(occurrence.dueAt);
  const cancelled = reminder.status === "cancelled";
  const { status } = reminder;
  const stopped = status === "done" || status === "paused" ? status : null;
  const line = tellOccurrence({ state: occurrence.state, cancelled, stopped, dueAtMs, nowMs }, language);
  return {
    key: `${occurrence.id}:${channel}`,
    channel,
    name: language.words.story.channel[channel],
    line,
    calls: [],
    expectedAtMs: line.live ? dueAtMs : null,
  };
}

const ms = (iso: string) => Date.parse(iso);
const maybeMs = (iso: string | null) => (iso === null ? null : Date.parse(iso));

function entryOf(delivery: DeliveryView, language: Speech<"story">): StoryEntry {
  const { story } = language.words;
  const { channel, device, history } = delivery;
  const facts = {
    channel,
    state: delivery.state,
    reason: delivery.reason,
    lastClass: delivery.lastClass,
    receipt: delivery.receipt,
    expectedAtMs: maybeMs(delivery.expectedAt),
    nextEligibleAtMs: maybeMs(delivery.nextEligibleAt),
    scheduledAtMs: ms(delivery.scheduledAt),
    latestAttemptAtMs: maybeMs(delivery.latestAttemptAt),
    finishedAtMs: maybeMs(delivery.finishedAt),
    expiresAtMs: ms(delivery.expiresAt),
    attempts: delivery.attempts,
    classes: history.map((attempt) => attempt.class),
  };
  const line = tellDelivery(facts, language);
  const calls = history.map((attempt) =>
    tellAttempt(
      { class: attempt.class, begunAtMs: ms(attempt.begunAt), retryAfter: attempt.retryAfter },
      language,
    ),
  );
  return {
    key: delivery.key,
    channel,
    name:
      device === null
        ? story.channel[channel]
        : fill(story.onDevice, { channel: story.channel[channel], device }),
    line,
    calls: calls.length > 1 ? calls : [],
    expectedAtMs: line.live ? maybeMs(delivery.expectedAt) : null,
  };
}

/** The shortest and longest wait before a story is looked at again. */
const LOOK_MS_MIN = 2_000;
const LOOK_MS_MAX = 300_000;

/** How long from now until it is worth looking again, in milliseconds: soon after the next thing that is expected. */
export function nextLookMs(story: Story, nowMs: number): number {
  const expected = [...story.now, ...story.earlier]
    .filter((entry) => entry.line.live)
    .map((entry) => (entry.expectedAtMs ?? nowMs) - nowMs);
  return Math.min(LOOK_MS_MAX, Math.max(LOOK_MS_MIN, ...[Math.min(...expected, LOOK_MS_MAX)]));
}
