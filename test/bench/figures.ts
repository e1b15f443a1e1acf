/** The smallest value that at least that share of the values does not exceed (nearest rank). NaN when there is none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

/** Jain's index of these shares: 1 when all are equal, 1 ÷ n when one has everything. NaN when nobody has anything. */
export function jainIndex(shares: readonly number[]): number {
  const sum = shares.reduce((total, share) => total + share, 0);
  const squares = shares.reduce((total, share) => total + share * share, 0);
  return squares === 0 ? Number.NaN : (sum * sum) / (shares.length * squares);
}

/** What each gets of `room` when nobody gets more than they ask for and the rest is shared equally (max-min). */
export function fairShares(demands: readonly number[], room: number): number[] {
  const shares = demands.map(() => 0);
  let left = room;
  const order = demands.map((_, index) => index).sort((one, other) => at(demands, one) - at(demands, other));
  order.forEach((index, served) => {
    const share = Math.min(at(demands, index), left / (order.length - served));
    shares[index] = share;
    left -= share;
  });
  return shares;
}

/**
 * How fairly the first `room` sends went to those who asked: Jain's index of what each got ÷ its max-min fair share.
 * `order` names the owner of each send, first to last; `demands` says how much each owner asked for.
 */
export function fairness(
  order: readonly string[],
  demands: ReadonlyMap<string, number>,
  room: number,
): number {
  const got = new Map<string, number>();
  for (const owner of order.slice(0, room)) got.set(owner, (got.get(owner) ?? 0) + 1);
  const owners = [...demands.keys()];
  const fair = fairShares([...demands.values()], room);
  return jainIndex(owners.map((owner, index) => (got.get(owner) ?? 0) / at(fair, index)));
}

/** The mean position of everybody's first send, as a share of how many they are: one half is the least. */
export function unfairness(order: readonly string[], owners: number): number {
  const first = new Map<string, number>();
  for (const [index, owner] of order.entries()) if (!first.has(owner)) first.set(owner, index + 1);
  const sum = [...first.values()].reduce((total, position) => total + position, 0);
  return first.size < owners ? Number.NaN : sum / (owners * owners);
}

/** A time during which a limit is lower: it starts that long after the beginning, and lasts. */
export interface Drop {
  afterSeconds: number;
  seconds: number;
  /** What is left of the rate, 0 to 1. */
  share: number;
}

/** The least seconds in which a limit of `perSecond` with `burst` lets `count` calls through, a drop included. */
export function floorSeconds(count: number, perSecond: number, burst: number, drop?: Drop): number {
  const calls = Math.max(0, count - burst);
  if (drop === undefined || calls <= perSecond * drop.afterSeconds) return calls / perSecond;
  const left = calls - perSecond * drop.afterSeconds;
  const during = perSecond * drop.share * drop.seconds;
  if (left <= during) return drop.afterSeconds + left / (perSecond * drop.share);
  return drop.afterSeconds + drop.seconds + (left - during) / perSecond;
}

function at(values: readonly number[], index: number): number {
  return values[index] ?? Number.NaN;
}
