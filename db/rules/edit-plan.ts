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
  /** Channels for which a new occurrence opens. */
  newOccurrence: Channel[];
  /** Nothing waits that the edit could still change. */
  tooLate: boolean;
}

const WAITING: readonly DeliveryState[] = ["scheduled", "ready", "deferred"];

/**
 * What an edit does to the deliveries that exist (DESIGN: edits). A channel whose waiting deliveries are all untried is
 * re-pointed; one with an attempted delivery is superseded whole, since its new occurrence reaches every device again.
 */
export function planEdit(input: {
  deliveries: readonly EditableDelivery[];
  channelsBefore: readonly Channel[];
  channelsAfter: readonly Channel[];
  timeChanged: boolean;
  waitingOccurrence: boolean;
}): EditPlan {
  const plan: EditPlan = { repoint: [], supersede: [], drop: [], newOccurrence: [], tooLate: false };
  const movable = input.deliveries.filter((row) => WAITING.includes(row.state) && !row.unresolved);
  const channels = new Set<Channel>([...input.channelsBefore, ...input.channelsAfter]);
  for (const channel of channels) {
    const waiting = movable.filter((row) => row.channel === channel);
    if (!input.channelsAfter.includes(channel)) {
      plan.drop.push(...waiting.map((row) => row.id));
      continue;
    }
    const untried = waiting.length > 0 && waiting.every((row) => row.attemptCount === 0);
    if (untried) {
      plan.repoint.push(...waiting);
      continue;
    }
    plan.supersede.push(...waiting.map((row) => row.id));
    const added = !input.channelsBefore.includes(channel);
    // An occurrence that still waits carries every channel by itself.
    const wanted = waiting.length > 0 || added || input.timeChanged;
    if (wanted && !input.waitingOccurrence) plan.newOccurrence.push(channel);
  }
  const nothing =
    plan.repoint.length + plan.supersede.length + plan.drop.length + plan.newOccurrence.length === 0;
  plan.tooLate = nothing && !input.waitingOccurrence;
  return plan;
}
