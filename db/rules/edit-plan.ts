import type { DeliveryState } from "./lifecycle";
import type { Channel } from "./outcome";

/** What an edit needs to know of one delivery of the reminder. */
export interface EditableDelivery {
  id: string;
  occurrenceId: string;
  channel: Channel;
  state: DeliveryState;
  attemptCount: number;
  unresolved: boolean;
}

export interface EditPlan {
  /** Untried deliveries that take the new version in place. */
  repoint: EditableDelivery[];
  /** Waiting deliveries that end as `superseded`. */
  supersede: string[];
  /** Waiting deliveries of channels that the edit removed. */
  drop: string[];
  /** The channels of the occurrence that still waits, after the edit; none: it has nothing left. Null without one. */
  carried: Channel[] | null;
  /** Channels for which a new occurrence opens. */
  newOccurrence: Channel[];
  /** Nothing waits that the edit could still change. */
  tooLate: boolean;
}

const WAITING: readonly DeliveryState[] = ["scheduled", "ready", "deferred"];

/**
 * What an edit does to the deliveries that exist (DESIGN: edits). A channel whose waiting deliveries are all untried is
 * re-pointed; one with an attempted delivery is superseded whole, since its new occurrence reaches every device again.
 *
 * An occurrence that still waits (`waitingChannels`) may carry a part of the channels only: an earlier edit opened it
 * for those whose deliveries had been attempted. It keeps its own, takes over what would need a new occurrence, and
 * leaves alone what waits elsewhere: each channel is carried once. One channel after the other (`inOrder`) they go to a
 * new time together, or the later would not know when the earlier goes.
 */
export function planEdit(input: {
  deliveries: readonly EditableDelivery[];
  channelsBefore: readonly Channel[];
  channelsAfter: readonly Channel[];
  timeChanged: boolean;
  inOrder: boolean;
  waitingChannels: readonly Channel[] | null;
}): EditPlan {
  const { channelsBefore, channelsAfter, waitingChannels, timeChanged } = input;
  const plan: EditPlan = {
    repoint: [],
    supersede: [],
    drop: [],
    carried: null,
    newOccurrence: [],
    tooLate: false,
  };
  const movable = input.deliveries.filter((row) => WAITING.includes(row.state) && !row.unresolved);
  const apart = new Set<Channel>();
  for (const channel of new Set<Channel>([...channelsBefore, ...channelsAfter])) {
    const waiting = movable.filter((row) => row.channel === channel);
    const ids = waiting.map((row) => row.id);
    const carried = waitingChannels?.includes(channel) ?? false;
    if (!channelsAfter.includes(channel)) {
      plan.drop.push(...ids);
    } else if (!carried && waiting.length > 0 && waiting.every((row) => row.attemptCount === 0)) {
      plan.repoint.push(...waiting);
    } else {
      plan.supersede.push(...ids);
      const added = !channelsBefore.includes(channel);
      if (carried || waiting.length > 0 || added || timeChanged) apart.add(channel);
    }
  }
  if (input.inOrder && timeChanged && apart.size > 0) {
    for (const { id, channel } of plan.repoint.splice(0)) {
      plan.supersede.push(id);
      apart.add(channel);
    }
  }
  // In the order of the edit: with steps it says which comes first.
  const wanted = channelsAfter.filter((channel) => apart.has(channel));
  if (waitingChannels === null) plan.newOccurrence = wanted;
  else plan.carried = wanted;
  const moved = plan.repoint.length + plan.supersede.length + plan.drop.length;
  plan.tooLate = waitingChannels === null && moved + plan.newOccurrence.length === 0;
  return plan;
}

/**
 * The same for a series. Its edit changes what is to come: the element that waits takes the new version whole. One that
 * has come keeps its time; while nobody has tried to send it, it takes new content.
 */
export function planSeriesEdit(input: Parameters<typeof planEdit>[0]): EditPlan {
  const { channelsAfter, waitingChannels, timeChanged } = input;
  const movable = input.deliveries.filter((row) => WAITING.includes(row.state) && !row.unresolved);
  const kept = movable.filter((row) => channelsAfter.includes(row.channel));
  return {
    repoint: timeChanged ? [] : kept.filter((row) => row.attemptCount === 0),
    supersede: [],
    drop: movable.filter((row) => !channelsAfter.includes(row.channel)).map((row) => row.id),
    carried: waitingChannels === null ? null : [...channelsAfter],
    newOccurrence: waitingChannels === null && timeChanged ? [...channelsAfter] : [],
    tooLate: false,
  };
}

/** How long each channel of `channels` that is among `moved` waits for those before it, in milliseconds. */
export function stepDelaysMs(
  channels: readonly Channel[],
  moved: readonly { channel: Channel }[],
  stepMinutes: number | null,
): Map<Channel, number> {
  const going = channels.filter((channel) => moved.some((row) => row.channel === channel));
  return new Map(going.map((channel, place) => [channel, place * (stepMinutes ?? 0) * 60_000]));
}
